#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What failed, counted in groups, the largest first: dead, unknown and bounced deliveries of the history, and live ones
// whose last attempt failed. Keys: the fingerprint, "channel/provider", the event type, the recipient's domain, the
// published set; empty where a delivery has none. Filled are key, counts, times, notes and, of fingerprints, what the
// table of problems knows; words and suggestions are admin's. Of each fingerprint at most countCap live rows are
// counted (fewer where more than ten fingerprints have live rows), so `failing` may be a lower bound; what ended is
// counted exactly.
Result<std::vector<ProblemRecord>> readProblems(Database &database, ProblemGrouping grouping, const Filter &filter,
                                                int limit);

} // namespace sendoff::store
