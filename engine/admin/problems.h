#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::admin {

// What is dead, unknown, bounced or failing, in groups, the largest first. Blocking, read-only; limit 1…1000.
// `filter` narrows what is grouped. A record's own filter chooses what ended of its group (dead + unknown rows); where
// nothing ended yet, the live rows that fail.
Result<std::vector<ProblemRecord>> problems(store::Database &database, ProblemGrouping grouping, const Filter &filter,
                                            int limit);

} // namespace sendoff::admin
