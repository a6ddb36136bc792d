#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// A provider's words made fit for store, log and screen: without the provider's key, without the addresses of the
// request and whatever else looks like an address, storable, at most `limit` characters.
QString redacted(const QString &text, const ProviderSettings &provider, const std::vector<OutgoingItem> &items,
                 qsizetype limit);

} // namespace sendoff::channel
