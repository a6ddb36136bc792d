#include "store/engine_registry.h"

#include "store/migrator.h"
#include "store/problem_rows.h"

namespace sendoff::store {

Result<void> registerEngine(Database &database, const EngineIdentity &engine)
{
    return database.write([&](Session &session) {
        session.run("INSERT INTO sendoff_engine (id, name, host, pid, version, schema) VALUES (?, ?, ?, ?, ?, ?)",
                    {engine.id, engine.name, engine.host, engine.pid, engine.version, schemaNumber});
    });
}

Result<HeartbeatAnswer> heartbeat(Database &database, const EngineIdentity &engine, Milliseconds skew, int inFlight)
{
    return database.write([&](Session &session) -> Result<HeartbeatAnswer> {
        Cursor row =
            session.run("UPDATE sendoff_engine SET heartbeat_at = $now, skew_ms = ?, in_flight = ? WHERE id = ? "
                        "RETURNING $ms(heartbeat_at)",
                        {qint64(skew.count()), inFlight, engine.id});
        if (!row.next())
            return Error{ErrorCode::NotFound, QStringLiteral("this engine's row is gone from the store")};
        return HeartbeatAnswer{row.time(0)};
    });
}

Result<void> declareAsleep(Database &database, const EngineIdentity &engine, bool asleep)
{
    return database.write([&](Session &session) {
        session.run("UPDATE sendoff_engine SET asleep = ? WHERE id = ?", {asleep ? 1 : 0, engine.id});
    });
}

Result<void> retireEngine(Database &database, const EngineIdentity &engine)
{
    return database.write([&](Session &session) {
        session.run("UPDATE sendoff_engine SET asleep = 0, in_flight = 0, stopped_at = $now WHERE id = ?", {engine.id});
    });
}

Result<void> makePartitions(Database &database)
{
    if (!database.isPostgreSql())
        return {};
    return database.write([](Session &session) { session.command("SELECT sendoff_make_partitions(3)"); });
}

Result<qint64> pruneRetired(Database &database)
{
    return database.write([](Session &session) -> qint64 {
        // Nobody waits for these: a step is short, and the next one comes with the next housekeeping.
        const qint64 minutes =
            session
                .run("DELETE FROM sendoff_minute WHERE minute < $now_plus(-691200000) AND minute <= "
                     "(SELECT max(minute) FROM (SELECT minute FROM sendoff_minute ORDER BY minute LIMIT 2000) AS old)")
                .affected();
        const qint64 problems = pruneProblems(session);
        return minutes + problems +
               session
                   .run("DELETE FROM sendoff_engine WHERE heartbeat_at < $now_plus(-86400000) AND (stopped_at IS NOT "
                        "NULL "
                        "OR heartbeat_at < $now_plus(-604800000))")
                   .affected();
    });
}

} // namespace sendoff::store
