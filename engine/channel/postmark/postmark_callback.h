#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Postmark signs nothing: the callback's address carries Basic credentials, the webhook secrets are "user:password".
CallbackCheck verifyPostmark(const ProviderSettings &provider, const CallbackRequest &request, Timestamp now);

// One record. Invalid: no JSON object with a RecordType.
Result<std::vector<ProviderReceipt>> readPostmarkReceipts(const ProviderSettings &provider,
                                                          const CallbackRequest &request);

} // namespace sendoff::channel
