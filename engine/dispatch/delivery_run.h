#pragma once
#include "channel/provider_kind.h"
#include "dispatch/set_cache.h"
#include "store/delivery_queue.h"
#include <variant>

namespace sendoff::dispatch {

// A claimed delivery made ready for its channel: an item for a provider, an inbox entry, or the settlement that says
// why it can't be sent.
using Prepared = std::variant<channel::OutgoingItem, store::InboxEntry, store::Settlement>;

// Renders one claimed delivery from its pins, or takes the frozen bytes of an earlier attempt. `provider` is nullptr
// for the inbox and where the configuration does not know the delivery's provider any more.
Result<Prepared> prepared(store::Database &database, SetCache &sets, const ClaimedDelivery &delivery,
                          const channel::ProviderSettings *provider);

// The settlement of a delivery that ends, or is held, without a request.
store::Settlement settledWithoutRequest(const ClaimedDelivery &delivery, DeliveryState state, Reason reason,
                                        const QString &detail);

} // namespace sendoff::dispatch
