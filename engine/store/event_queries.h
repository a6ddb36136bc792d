#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

constexpr int maxStoriesOfEvent = 200; // an announcement to thousands is read through the list

// One event with what became of it; at most maxStoriesOfEvent deliveries, oldest first. NotFound.
Result<EventStory> eventStory(Database &database, const EventId &id);
// Events newest first. `beforeSequence` 0: from the newest; limit 1…1000. Fields: those of
// FilterRows::Events.
Result<std::vector<EventRecord>> listEvents(Database &database, const Filter &filter, qint64 beforeSequence, int limit);

} // namespace sendoff::store
