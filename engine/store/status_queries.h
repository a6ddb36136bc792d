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

// A pending event's age runs from the moment it may be relayed, looked for among the oldest thousand. Up to 20,000
// live rows the backlog is exact. Beyond, ready rows are counted up to 100,000 a lane of a provider, with the oldest
// looked for among the thousand that are next; in flight up to 30,000; scheduled and held are counted among the 30,000
// that come due or expire next, and stop at countCap: lower bounds. A provider's numbers of the last five minutes begin with a whole minute, so
// they are those of four to five.
Result<StatusFacts> readStatus(Database &database);

} // namespace sendoff::store
