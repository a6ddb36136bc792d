#pragma once
#include "channel/callback.h"
#include "domain/receipt.h"
#include "domain/result.h"
#include <QUrl>
#include <vector>

namespace sendoff::channel {

// Amazon SES events as Amazon SNS delivers them. Mail goes to SES by SMTP, so there is no kind of that name: whoever
// receives the callbacks fetches the certificate and hands it in. Pure, any thread.

// Where the certificate of a callback is. Invalid where the address is none of Amazon's: it must not be fetched.
Result<QUrl> sesCertificateUrl(const CallbackRequest &request);

// Whether it is signed by that certificate, whose chain the caller has checked, and of our own topic: a message of
// somebody else's topic is as well signed. No tolerance of time; a repeat has the same MessageId.
CallbackCheck verifySes(const QByteArray &certificatePem, const QString &topicArn, const CallbackRequest &request);

// Where a verified SubscriptionConfirmation wants to be confirmed; empty for every other message.
QUrl sesConfirmationUrl(const CallbackRequest &request);

// One receipt for each recipient of a verified callback. Invalid: not readable. What is no event gives none.
Result<std::vector<ProviderReceipt>> readSesReceipts(const CallbackRequest &request);

} // namespace sendoff::channel
