#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// X-Twilio-Signature over the public URL and the parameters of the form, or over the URL that carries the hash of a
// JSON body. No time is signed: repeats are found by the receipt's id.
CallbackCheck verifyTwilio(const ProviderSettings &provider, const CallbackRequest &request, Timestamp now);

// One status of one message. Invalid: no message or no status is named.
Result<std::vector<ProviderReceipt>> readTwilioReceipts(const ProviderSettings &provider,
                                                        const CallbackRequest &request);

// A status and an error code as a receipt's kind, with what they mean for the number; nothing for a status that is
// not known or concerns incoming messages.
std::optional<ProviderReceipt> twilioReceipt(const QString &status, const QString &errorCode);

} // namespace sendoff::channel
