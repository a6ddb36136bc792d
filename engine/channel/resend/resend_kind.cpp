#include "channel/resend/resend_kind.h"

#include "channel/compose_checks.h"
#include "channel/resend/resend_answers.h"
#include "domain/json_document.h"

namespace sendoff::channel {

namespace {

Result<QByteArray> compose(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                           const DeliveryId &)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    if (const auto checked = checkComposition(Channel::Email, message, address); !checked)
        return checked.error();
    if (provider.from.trimmed().isEmpty())
        return invalid(QStringLiteral("providers.%1.from is empty; name the sender").arg(provider.name));
    if (message.subject.trimmed().isEmpty())
        return invalid(QStringLiteral("subject: it is empty; Resend takes no mail without one"));
    if (message.text.isEmpty() && message.html.isEmpty())
        return invalid(QStringLiteral("the message has neither text nor HTML; give the template one of them"));

    std::vector<JsonValue::Member> members{{QStringLiteral("from"), JsonValue::string(provider.from)},
                                           {QStringLiteral("to"), JsonValue::array({JsonValue::string(address)})},
                                           {QStringLiteral("subject"), JsonValue::string(message.subject)}};
    if (!message.text.isEmpty())
        members.emplace_back(QStringLiteral("text"), JsonValue::string(message.text));
    if (!message.html.isEmpty())
        members.emplace_back(QStringLiteral("html"), JsonValue::string(message.html));
    if (const QString replyTo = provider.options.value(QStringLiteral("reply_to")); !replyTo.isEmpty())
        members.emplace_back(QStringLiteral("reply_to"), JsonValue::string(replyTo));
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

} // namespace

const ProviderKind &resendKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("resend");
        made.channel = Channel::Email;
        made.batch = 1;
        // Keys are kept for 24 h from the first request; an hour for clocks and for the way there.
        made.idempotencyWindow = std::chrono::hours(23);
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
