#pragma once
#include "store/delivery_queue.h"
#include <functional>

namespace sendoff::store {

class Session;

// A webhook's destination is left alone for a day after so many attempts in a row that it did not take.
constexpr int destinationFailures = 20;

// What attempts say of the addresses they went to, in the settling transaction: an address that its provider refused
// for good is suppressed, a webhook's destination too that failed `destinationFailures` times since it last took
// something. Only settlements whose rows were written count. A person lifts the suppression; what was skipped meanwhile
// can be retried.
void noteDestinations(Session &session, const std::vector<Settlement> &settlements,
                      const std::function<bool(const DeliveryId &)> &wasWritten);

} // namespace sendoff::store
