#pragma once
#include "app/cli/output.h"
#include "domain/records.h"

namespace sendoff::app {

// The story of an event or a delivery as a person reads it: what happened, in order, and what it means.
void printStory(Output &out, const EventStory &story);
void printStory(Output &out, const DeliveryStory &story);

} // namespace sendoff::app
