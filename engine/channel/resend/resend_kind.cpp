#include "channel/resend/resend_kind.h"

#include "channel/compose_checks.h"
#include "channel/mail/mail_parts.h"
#include "channel/receipts/receipt_texts.h"
#include "channel/resend/resend_answers.h"
#include "channel/resend/resend_callback.h"
#include "channel/signatures/standard_webhooks.h"
#include "domain/json_document.h"

namespace sendoff::channel {

namespace {

JsonValue named(const QString &name, const QString &value)
{
    return JsonValue::object(
        {{QStringLiteral("name"), JsonValue::string(name)}, {QStringLiteral("value"), JsonValue::string(value)}});
}

Result<QByteArray> compose(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    if (const auto checked = checkMail(provider, message, address, QStringLiteral("Resend")); !checked)
        return checked.error();
    std::vector<JsonValue::Member> members{{QStringLiteral("from"), JsonValue::string(provider.from)},
                                           {QStringLiteral("to"), JsonValue::array({JsonValue::string(address)})},
                                           {QStringLiteral("subject"), JsonValue::string(message.subject)}};
    const auto add = [&members](const QString &name, const QString &value) {
        if (!value.isEmpty())
            members.emplace_back(name, JsonValue::string(value));
    };
    add(QStringLiteral("text"), message.text);
    add(QStringLiteral("html"), message.html);
    add(QStringLiteral("reply_to"), provider.options.value(QStringLiteral("reply_to")));
    std::vector<JsonValue::Member> headers;
    for (const auto &[name, value] : unsubscribeHeaders(message))
        headers.emplace_back(name, JsonValue::string(value));
    if (!headers.empty())
        members.emplace_back(QStringLiteral("headers"), JsonValue::object(std::move(headers)));
    // Comes back in every webhook, also of a mail whose answer was lost.
    members.emplace_back(QStringLiteral("tags"), JsonValue::array({named(deliveryLabel(), id.value)}));
    return JsonValue::object(std::move(members)).toJson();
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    const OutgoingItem &item = items.front();
    HttpRequest made;
    made.url = endpoint(provider.baseUrl, QStringLiteral("/emails"));
    made.headers = {{"Authorization", "Bearer " + provider.apiKey},
                    {"Idempotency-Key", item.id.value.toUtf8()},
                    {"User-Agent", userAgent()}, // a request without one is refused
                    {"Accept", "application/json"}};
    made.body = item.body;
    return made;
}

AttemptResult classifyOne(const HttpAnswer &answer, Timestamp now)
{
    if (const auto result = resultWithoutAnswer(answer))
        return *result;
    const QJsonObject body = jsonBody(answer);
    if (isSuccess(answer.status)) {
        AttemptResult result;
        result.status = answer.status;
        result.providerMessageId = body.value(QLatin1String("id")).toString();
        if (!result.providerMessageId.isEmpty()) {
            result.outcome = Outcome::Accepted;
            return result;
        }
        // Something on the way may have answered; the key makes it safe to ask again.
        result.code = QStringLiteral("answer_without_id");
        result.text = unreadableBody(answer);
        return result;
    }
    const QString code = body.value(QLatin1String("name")).toString();
    const QString text = body.value(QLatin1String("message")).toString();
    AttemptResult result = resultOfRefusal(resendRules, Repeats::KnownByKey, answer, code, text, now);
    // One name for a bad field and, on some endpoints with 400, for a bad key: only the text tells them apart.
    if (code == QLatin1String("validation_error") && text.contains(QLatin1String("api key"), Qt::CaseInsensitive))
        result.outcome = Outcome::Configuration;
    return result;
}

std::vector<AttemptResult> classify(const ProviderSettings &, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    return std::vector<AttemptResult>(items.size(), classifyOne(answer, now));
}

// A mail can be asked for by Resend's own id alone. Without one there is no question to ask: a request without an
// address, which is not to be sent, and an unclear answer.
HttpRequest ask(const ProviderSettings &provider, const std::vector<OpenQuestion> &questions)
{
    HttpRequest made;
    made.method = "GET";
    if (questions.front().messageId.isEmpty())
        return made;
    made.url = endpoint(provider.baseUrl, QStringLiteral("/emails/") + questions.front().messageId);
    made.headers = {
        {"Authorization", "Bearer " + provider.apiKey}, {"User-Agent", userAgent()}, {"Accept", "application/json"}};
    return made;
}

FoundMessage foundOf(const QJsonObject &mail, const OpenQuestion &question)
{
    FoundMessage found;
    const QString event = mail.value(QLatin1String("last_event")).toString();
    const std::optional<ReceiptKind> kind = resendReceiptKind(event);
    const QString id = mail.value(QLatin1String("id")).toString();
    if (!kind || id.isEmpty()) {
        found.why = QStringLiteral("Resend gives the mail a state that is not known here");
        return found;
    }
    ProviderReceipt receipt;
    const bool isSeen = *kind == ReceiptKind::Opened || *kind == ReceiptKind::Clicked;
    receipt.kind = isSeen ? ReceiptKind::Delivered : *kind;
    receipt.eventId = QStringLiteral("asked:") + id + u':' + event;
    receipt.messageId = id;
    receipt.delivery = question.id;
    if (*kind == ReceiptKind::Complained)
        suppress(receipt, suppression::complaint);
    else if (*kind == ReceiptKind::Suppressed)
        suppress(receipt, suppression::providerList);
    found.found = FoundMessage::Found::Yes;
    found.receipt = receipt;
    return found;
}

std::vector<FoundMessage> readFound(const ProviderSettings &, const std::vector<OpenQuestion> &questions,
                                    const HttpAnswer &answer, Timestamp)
{
    FoundMessage unclear;
    if (questions.front().messageId.isEmpty())
        unclear.why = QStringLiteral("Resend finds a mail by its own id alone, and no answer gave it");
    else if (answer.fault != Fault::None || answer.status != 200)
        unclear.why = QStringLiteral("Resend did not answer the question (HTTP %1)").arg(answer.status);
    else
        return {foundOf(jsonBody(answer), questions.front())};
    return {unclear};
}

Result<void> check(const ProviderSettings &provider)
{
    for (const QByteArray &secret : provider.webhookSecrets) {
        if (const auto key = webhookKey(secret); !key)
            return Error{ErrorCode::Invalid, QStringLiteral("webhook_secrets: ") + key.error().message};
    }
    return {};
}

} // namespace

const ProviderKind &resendKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("resend");
        made.channel = Channel::Email;
        made.batch = 1;
        made.defaultBaseUrl = QStringLiteral("https://api.resend.com");
        made.documentedLimit = 5;
        made.needsKey = true;
        made.needsFrom = true;
        made.optionNames = QStringList{QStringLiteral("reply_to")};
        made.check = check;
        // Keys are kept for 24 h from the first request; an hour for clocks and for the way there.
        made.idempotencyWindow = std::chrono::hours(23);
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        made.ask = ask;
        made.readFound = readFound;
        made.verify = verifyResend;
        made.receipts = readResendReceipts;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
