#include "channel/webhook/webhook_kind.h"

#include "channel/answer_rules.h"
#include "channel/compose_checks.h"
#include "channel/destination_check.h"
#include "channel/provider_wait.h"
#include "channel/signatures/standard_webhooks.h"
#include "domain/json_document.h"

namespace sendoff::channel {

namespace {

Result<QByteArray> compose(const ProviderSettings &, const RenderedMessage &message, const QString &address,
                           const DeliveryId &)
{
    if (const auto checked = checkComposition(Channel::Webhook, message, address); !checked)
        return checked.error();
    // The bytes as rendered: a number or an escape that is written anew would be another one.
    QByteArray body = message.text.trimmed().toUtf8();
    if (const auto json = parsePayload(body); !json)
        return Error{ErrorCode::Invalid,
                     QStringLiteral("the template must render a JSON object {\"type\", \"timestamp\", \"data\"}: %1")
                         .arg(json.error().message)};
    return body;
}

// A dot would let a receiver split the signed text in two ways.
QByteArray webhookId(const DeliveryId &id)
{
    return id.value.toUtf8().replace('.', '-');
}

// While a secret is being changed, receivers with the old one and with the new one both find theirs.
QByteArray signatures(const ProviderSettings &provider, const QByteArray &id, Timestamp at, const QByteArray &body)
{
    QByteArrayList all;
    for (const QByteArray &secret : provider.signingSecrets) {
        if (const auto signature = webhookSignature(secret, id, at, body))
            all.append(*signature);
    }
    return all.join(' ');
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    const OutgoingItem &item = items.front();
    HttpRequest made;
    made.url = QUrl(item.address.trimmed(), QUrl::StrictMode);
    made.body = item.body;
    const QByteArray id = webhookId(item.id);
    const Timestamp now = SystemClock().now(); // of this attempt: receivers refuse what is older than minutes
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    made.headers = {{"User-Agent", userAgent()},
                    {"webhook-id", id},
                    {"webhook-timestamp", QByteArray::number(seconds)},
                    {"webhook-signature", signatures(provider, id, now, item.body)}};
    return made;
}

// A broken certificate or address is that receiver's: nothing that opens the breaker for all.
AttemptResult withoutAnswer(AttemptResult result)
{
    if (result.outcome == Outcome::Configuration)
        result.outcome = Outcome::Transient;
    return result;
}

Outcome outcomeOf(const HttpAnswer &answer)
{
    if (answer.status == 410) // the receiver is gone for good
        return Outcome::PermanentRecipient;
    if (answer.header("webhook-delivery").trimmed().compare("abort-message", Qt::CaseInsensitive) == 0)
        return Outcome::PermanentMessage;
    if (answer.status == 429 || answer.status == 502 || answer.status == 504)
        return Outcome::Throttled;
    return Outcome::Transient; // 3xx, which is never followed, and the rest of 4xx and 5xx: a receiver gets mended
}

AttemptResult classifyOne(const HttpAnswer &answer, Timestamp now)
{
    if (const auto result = resultWithoutAnswer(answer)) {
        // The status is all that a receiver has to say, so a page that is larger than we read changes nothing.
        const bool isTaken = isSuccess(answer.status) && answer.fault == Fault::TooLarge;
        if (!isTaken)
            return withoutAnswer(*result);
    }
    AttemptResult result;
    result.status = answer.status;
    if (isSuccess(answer.status)) {
        result.outcome = Outcome::Accepted;
        return result;
    }
    result.outcome = outcomeOf(answer);
    result.suppresses = result.outcome == Outcome::PermanentRecipient;
    result.pausesBucket = false; // one receiver's limit, never that of the others
    result.code = result.outcome == Outcome::PermanentMessage ? QStringLiteral("aborted_by_receiver")
                                                              : QStringLiteral("http_%1").arg(answer.status);
    result.text = unreadableBody(answer); // never the body: it may repeat what we sent
    if (result.outcome == Outcome::Throttled || result.outcome == Outcome::Transient)
        result.wait = providerWait(answer, now);
    return result;
}

std::vector<AttemptResult> classify(const ProviderSettings &, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    return std::vector<AttemptResult>(items.size(), classifyOne(answer, now));
}

Result<void> check(const ProviderSettings &provider)
{
    if (provider.signingSecrets.empty())
        return Error{ErrorCode::Invalid,
                     QStringLiteral("signing_secrets: none is given, and receivers could not tell our requests from "
                                    "others; write signing_secrets = [ { env = \"NAME\" } ]")};
    for (const QByteArray &secret : provider.signingSecrets) {
        const auto key = webhookKey(secret);
        if (!secret.startsWith("whsec_") || !key || key->size() < 24 || key->size() > 64)
            return Error{ErrorCode::Invalid,
                         QStringLiteral("signing_secrets: each must be whsec_ and base64 of 24 to 64 random bytes")};
    }
    if (const auto rules = destinationRules(provider.options); !rules)
        return rules.error();
    return {};
}

} // namespace

const ProviderKind &webhookKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("webhook");
        made.channel = Channel::Webhook;
        // Receivers know a repeat by its webhook-id and keep what they made of it.
        made.idempotencyWindow = std::chrono::hours(30 * 24);
        made.optionNames = {QStringLiteral("allow_http"), QStringLiteral("allow_private"), QStringLiteral("ports")};
        made.check = check;
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        made.checksDestination = true;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
