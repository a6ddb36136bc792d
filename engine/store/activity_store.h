#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What happened in each minute, for charts and rates; counted by the statements that end attempts and deliveries, so
// that the numbers are those of the rows.

// Sums of each `step` (whole minutes) from `from` to `to`, empty steps left out. Invalid: a step that is no whole minute,
// more than 600 steps, or an end before the start.
Result<std::vector<ActivityPoint>> activity(Database &database, Timestamp from, Timestamp to, Milliseconds step);
// Scheduled rows by the minute they come due in; minutes 1…1440.
Result<ForecastRecord> forecast(Database &database, int minutes);

} // namespace sendoff::store
