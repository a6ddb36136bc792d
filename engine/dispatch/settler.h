#pragma once
#include "store/delivery_queue.h"
#include <QSet>
#include <deque>
#include <vector>

namespace sendoff::dispatch {

// Keeps what became of deliveries until the store has it. A store that can't be reached costs nothing but time: the
// results wait here, and where a lease ends meanwhile the result is kept as a late one.
class Settler
{
public:
    explicit Settler(QString engine);

    void add(store::Settlement settlement);
    bool isEmpty() const { return m_waiting.empty(); }
    size_t size() const { return m_waiting.size(); }
    // Writes what waits, in batches; answers how many. Unavailable, ReadOnly, Busy: everything is kept.
    Result<int> flush(store::Database &database);
    qint64 staleResults() const { return m_staleResults; }

private:
    Result<void> settleBatch(store::Database &database, const std::vector<store::Settlement> &batch);

    QString m_engine;
    std::deque<store::Settlement> m_waiting;
    qint64 m_staleResults = 0;
};

} // namespace sendoff::dispatch
