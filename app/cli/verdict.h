#pragma once
#include "domain/records.h"

namespace sendoff::app {

// What became of a delivery, in one sentence that a support agent may read to a customer. Acceptance is never told as
// arrival.
QString verdictOf(const DeliveryRecord &delivery);
// The same for an event.
QString verdictOf(const EventStory &story);

} // namespace sendoff::app
