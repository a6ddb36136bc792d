#pragma once
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::store {

// One run of one engine process, as other programs see it.
struct EngineIdentity
{
    QString id; // a UUID, new for each run
    QString name;
    QString host;
    qint64 pid = 0;
    QString version;
};

struct HeartbeatAnswer
{
    Timestamp databaseNow;
};

Result<void> registerEngine(Database &database, const EngineIdentity &engine);
// Says that the engine is alive and how far its clock is off.
Result<HeartbeatAnswer> heartbeat(Database &database, const EngineIdentity &engine, Milliseconds skew, int inFlight);
// While true, an INSERT of an application wakes engines (PostgreSQL). Commit it, then look for work once more, then
// sleep.
Result<void> declareAsleep(Database &database, const EngineIdentity &engine, bool asleep);
Result<void> retireEngine(Database &database, const EngineIdentity &engine);
// PostgreSQL: monthly partitions for the months to come.
Result<void> makePartitions(Database &database);
// Removes what retention no longer keeps: engines that ended, minutes older than eight days, problems that nothing has
// any more. One small step; answers rows removed.
Result<qint64> pruneRetired(Database &database);

} // namespace sendoff::store
