#pragma once
#include "domain/records.h"

namespace sendoff::admin {

// What became of a delivery, in one sentence that a support agent may read to a customer: when it was sent and by whom,
// what came back, whether it is tried again and when, or the rule by which it was not sent. Times are RFC 3339, UTC.
// Acceptance is never told as arrival. Pure.
QString verdictOf(const DeliveryRecord &delivery);

} // namespace sendoff::admin
