#pragma once
#include "dispatch/engine.h"
#include "dispatch/settler.h"

namespace sendoff::dispatch {

// Recovers deliveries whose worker was lost and ends those that waited past their expiry.
class Reaper
{
public:
    Reaper(const EngineSettings &settings, QString engine, Settler &settler);

    // One sweep; answers how many rows it dealt with. Lost rows are added to the settler, which must be flushed.
    Result<int> runOnce(store::Database &database);

private:
    const EngineSettings &m_settings;
    QString m_engine;
    Settler &m_settler;
};

} // namespace sendoff::dispatch
