#pragma once
#include "domain/catalogue.h"
#include "domain/result.h"
#include "render/renderer.h"
#include "store/database.h"
#include <map>
#include <memory>

namespace sendoff::dispatch {

// Published sets with their renderers, loaded once. Sets never change, so nothing here goes stale.
class SetCache
{
public:
    struct Entry
    {
        PublishedSet set;
        render::Renderer renderer;
    };

    // The set with this id; NotFound where it is gone from the store.
    Result<const Entry *> entry(store::Database &database, qint64 id);

private:
    std::map<qint64, std::unique_ptr<Entry>> m_entries;
};

} // namespace sendoff::dispatch
