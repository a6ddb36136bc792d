#include "channel/sendgrid/sendgrid_kind.h"

#include "channel/answer_rules.h"
#include "channel/compose_checks.h"
#include "channel/mail/mail_parts.h"
#include "channel/sendgrid/sendgrid_callback.h"
#include "channel/signatures/signatures.h"
#include "domain/json_document.h"
#include <QJsonArray>

namespace sendoff::channel {

namespace {

QString globalHost()
{
    return QStringLiteral("api.sendgrid.com");
}

Result<void> check(const ProviderSettings &provider)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    const QString region = provider.options.value(QStringLiteral("region"), QStringLiteral("global"));
    if (region != QLatin1String("global") && region != QLatin1String("eu"))
        return invalid(QStringLiteral("options.region must be \"global\" or \"eu\""));
    if (!provider.from.isEmpty() && !mailboxOf(provider.from).address.contains(u'@'))
        return invalid(QStringLiteral("from must hold an address, as in \"Name <no-reply@example.com>\""));
    for (const QByteArray &key : provider.webhookSecrets) {
        if (!isP256Key(key))
            return invalid(QStringLiteral("webhook_secrets must be the verification keys of SendGrid's signed Event "
                                          "Webhook (base64, beginning MFkw)"));
    }
    return {};
}

JsonValue mailbox(const QString &written)
{
    const Mailbox read = mailboxOf(written);
    std::vector<JsonValue::Member> members{{QStringLiteral("email"), JsonValue::string(read.address)}};
    if (!read.name.isEmpty())
        members.emplace_back(QStringLiteral("name"), JsonValue::string(read.name));
    return JsonValue::object(std::move(members));
}

JsonValue content(const RenderedMessage &message)
{
    std::vector<JsonValue> parts; // the plain text must be the first
    const auto add = [&parts](const QString &type, const QString &value) {
        if (!value.isEmpty())
            parts.push_back(JsonValue::object({{QStringLiteral("type"), JsonValue::string(type)},
                                               {QStringLiteral("value"), JsonValue::string(value)}}));
    };
    add(QStringLiteral("text/plain"), message.text);
    add(QStringLiteral("text/html"), message.html);
    return JsonValue::array(std::move(parts));
}

Result<QByteArray> compose(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    if (const auto checked = checkMail(provider, message, address, QStringLiteral("SendGrid")); !checked)
        return checked.error();
    const JsonValue arguments = JsonValue::object({{deliveryLabel(), JsonValue::string(id.value)}});
    const JsonValue to = JsonValue::object({{QStringLiteral("email"), JsonValue::string(address)}});
    const JsonValue personalization =
        JsonValue::object({{QStringLiteral("to"), JsonValue::array({to})}, {QStringLiteral("custom_args"), arguments}});
    std::vector<JsonValue::Member> members{{QStringLiteral("personalizations"), JsonValue::array({personalization})},
                                           {QStringLiteral("from"), mailbox(provider.from)},
                                           {QStringLiteral("subject"), JsonValue::string(message.subject)},
                                           {QStringLiteral("content"), content(message)}};
    if (const QString replyTo = provider.options.value(QStringLiteral("reply_to")); !replyTo.isEmpty())
        members.emplace_back(QStringLiteral("reply_to"), mailbox(replyTo));
    std::vector<JsonValue::Member> headers;
    for (const auto &[name, value] : unsubscribeHeaders(message))
        headers.emplace_back(name, JsonValue::string(value));
    if (!headers.empty())
        members.emplace_back(QStringLiteral("headers"), JsonValue::object(std::move(headers)));
    return JsonValue::object(std::move(members)).toJson();
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    QUrl base = provider.baseUrl;
    const bool isEu = provider.options.value(QStringLiteral("region")) == QLatin1String("eu");
    if (isEu && base.host() == globalHost())
        base.setHost(QStringLiteral("api.eu.sendgrid.com"));
    HttpRequest made;
    made.url = endpoint(base, QStringLiteral("/v3/mail/send"));
    made.headers = {{"Authorization", "Bearer " + provider.apiKey},
                    {"User-Agent", userAgent()},
                    {"Accept", "application/json"}}; // 406 without it
    made.body = items.front().body;
    return made;
}

// SendGrid has no error codes: the status is all, and these mean something else here than everywhere. They count only
// in its own words, because a proxy on the way has statuses too.
std::optional<Outcome> ownOutcome(int status)
{
    if (status == 406 || status == 415) // how we ask
        return Outcome::Configuration;
    if (status == 503)
        return Outcome::Transient;
    return std::nullopt;
}

AttemptResult classifyOne(const HttpAnswer &answer, Timestamp now)
{
    if (const auto result = resultWithoutAnswer(answer))
        return *result;
    AttemptResult result;
    result.status = answer.status;
    if (isSuccess(answer.status)) {
        result.providerMessageId = QString::fromLatin1(answer.header("X-Message-Id"));
        if (!result.providerMessageId.isEmpty()) {
            result.outcome = Outcome::Accepted;
        } else { // something on the way may have answered
            result.code = QStringLiteral("answer_without_id");
            result.text = unreadableBody(answer);
        }
        return result;
    }
    const QJsonArray errors = jsonBody(answer).value(QLatin1String("errors")).toArray();
    const QJsonObject error = errors.at(0).toObject();
    const QString field = error.value(QLatin1String("field")).toString();
    const QString message = error.value(QLatin1String("message")).toString();
    const QString text = field.isEmpty() || message.isEmpty() ? message : field + QLatin1String(": ") + message;
    result = resultOfRefusal({}, Repeats::NotKnown, answer, QString(), text, now);
    if (const auto outcome = ownOutcome(answer.status); outcome && !errors.isEmpty())
        result.outcome = *outcome;
    return result;
}

std::vector<AttemptResult> classify(const ProviderSettings &, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    return std::vector<AttemptResult>(items.size(), classifyOne(answer, now));
}

} // namespace

const ProviderKind &sendgridKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("sendgrid");
        made.channel = Channel::Email;
        made.defaultBaseUrl = QStringLiteral("https://") + globalHost();
        made.needsKey = true;
        made.needsFrom = true;
        made.optionNames = QStringList{QStringLiteral("region"), QStringLiteral("reply_to")};
        made.check = check;
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        made.verify = verifySendgrid;
        made.receipts = readSendgridReceipts;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
