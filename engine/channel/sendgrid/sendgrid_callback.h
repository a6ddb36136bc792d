#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// The signed Event Webhook: ECDSA over the time header and the raw body. The webhook secrets are public keys. Its time
// has no tolerance: SendGrid tries for a day, and repeats are found by the events' ids.
CallbackCheck verifySendgrid(const ProviderSettings &provider, const CallbackRequest &request, Timestamp now);

// Events of many messages, each once. Invalid: no JSON array. Unknown events are left out.
Result<std::vector<ProviderReceipt>> readSendgridReceipts(const ProviderSettings &provider,
                                                          const CallbackRequest &request);

} // namespace sendoff::channel
