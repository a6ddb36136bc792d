#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::store {

// What the store knows of itself in one consistent read. `record` has no verdict yet: admin judges.
struct StatusFacts
{
    StatusRecord record;
    qint64 recentDead = 0;  // ended as dead within the last 15 minutes, capped at countCap
    qint64 recentEnded = 0; // ended at all within them, capped likewise
};

// A pending event's age runs from the moment it may be relayed, looked for among the oldest thousand.
Result<StatusFacts> readStatus(Database &database);

} // namespace sendoff::store
