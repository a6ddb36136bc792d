#include "dispatch/set_cache.h"

#include "store/published_sets.h"

namespace sendoff::dispatch {

Result<const SetCache::Entry *> SetCache::entry(store::Database &database, qint64 id)
{
    constexpr size_t limit = 8; // deliveries in work seldom pin more sets than the newest few
    const auto known = m_entries.find(id);
    if (known != m_entries.end())
        return static_cast<const Entry *>(known->second.get());
    Result<PublishedSet> set = store::publishedSet(database, id);
    if (!set)
        return set.error();
    if (m_entries.size() >= limit)
        m_entries.erase(m_entries.begin());
    render::Renderer renderer(*set);
    auto made = std::make_unique<Entry>(Entry{std::move(*set), std::move(renderer)});
    return static_cast<const Entry *>((m_entries[id] = std::move(made)).get());
}

} // namespace sendoff::dispatch
