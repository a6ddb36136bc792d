#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What happened in each minute, for charts and rates; counted by the statements that end attempts and deliveries, so
// that the numbers are those of the rows. Minutes are kept for eight days.

// Sums of each `step` from the minute of `from` until `to`, empty steps left out. Steps are absolute time: a day with a
// change of summer time has 23 or 25 steps of an hour, and who asks gives the instants of his own midnights. An end
// that a person undid stays counted: what is counted are ends, not rows. Invalid: a step that is no whole minute, more
// than 600 steps, or an end before the start.
Result<std::vector<ActivityPoint>> activity(Database &database, Timestamp from, Timestamp to, Milliseconds step);
// Scheduled rows by the minute they come due in, from the present minute on; those that are overdue stand in the first
// one. minutes 1…1440. Numbers are lower bounds beyond 250,000 scheduled rows, of those that are due next; waitingNow
// and `later` stop at countCap.
Result<ForecastRecord> forecast(Database &database, int minutes);

} // namespace sendoff::store
