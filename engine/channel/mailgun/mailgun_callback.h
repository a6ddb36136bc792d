#pragma once
#include "channel/callback.h"
#include "domain/receipt.h"
#include "domain/result.h"
#include <vector>

namespace sendoff::channel {

// Mailgun's webhooks. Mail goes to Mailgun by SMTP, so there is no kind of that name. Pure, any thread.

// HMAC-SHA256 over time and token, of the account or of its parent. The event itself is not signed: whoever caught one
// callback could send others with its token, so a token must be taken once only (it is the receipt's eventId).
CallbackCheck verifyMailgun(const std::vector<QByteArray> &signingKeys, const CallbackRequest &request);

// One event. Invalid: not readable. An unknown event gives none.
Result<std::vector<ProviderReceipt>> readMailgunReceipts(const CallbackRequest &request);

} // namespace sendoff::channel
