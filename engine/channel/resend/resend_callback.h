#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Svix's signature over id, time and raw body.
CallbackCheck verifyResend(const ProviderSettings &provider, const CallbackRequest &request, Timestamp now);

// One event. Invalid: no JSON object with a type.
Result<std::vector<ProviderReceipt>> readResendReceipts(const ProviderSettings &provider,
                                                        const CallbackRequest &request);

// "delivered", "bounced" …, as events (after "email.") and last_event of a mail name it; nothing for other words.
std::optional<ReceiptKind> resendReceiptKind(const QString &event);

} // namespace sendoff::channel
