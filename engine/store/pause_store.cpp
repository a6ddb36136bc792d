#include "store/pause_store.h"

#include <algorithm>

namespace sendoff::store {

Result<std::vector<PauseRecord>> activePauses(Database &database)
{
    return database.readOnce([](Session &session) {
        std::vector<PauseRecord> pauses;
        Cursor row = session.run("SELECT kind, name, reason, actor, $ms(since), $ms(until) FROM sendoff_pause "
                                 "WHERE until IS NULL OR until > $now ORDER BY kind, name");
        while (row.next())
            pauses.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.time(4), row.maybeTime(5)});
        return pauses;
    });
}

Result<PausedParts> pausedParts(Database &database)
{
    return database.readOnce([](Session &session) {
        PausedParts parts;
        Cursor row = session.run("SELECT kind, name, $ms(until) - $ms($now) FROM sendoff_pause "
                                 "WHERE until IS NULL OR until > $now UNION ALL "
                                 "SELECT 'provider', name, $ms(paused_until) - $ms($now) FROM sendoff_provider "
                                 "WHERE paused = 1 AND (paused_until IS NULL OR paused_until > $now)");
        while (row.next()) {
            const QString kind = row.text(0);
            if (kind == QLatin1String("all"))
                parts.everything = true;
            else if (kind == QLatin1String("lane"))
                parts.lanes.insert(row.text(1));
            else if (kind == QLatin1String("channel"))
                parts.channels.insert(row.text(1));
            else
                parts.providers.insert(row.text(1));
            if (row.isNull(2))
                continue;
            const Milliseconds left(std::max<qint64>(1, row.integer(2)));
            parts.untilNextEnd = parts.untilNextEnd ? std::min(*parts.untilNextEnd, left) : left;
        }
        return parts;
    });
}

} // namespace sendoff::store
