#include "channel/fcm/fcm_kind.h"

#include "channel/compose_checks.h"
#include "channel/fcm/fcm_answers.h"
#include "channel/fcm/service_account.h"
#include "channel/provider_wait.h"
#include "domain/json_document.h"
#include <QJsonArray>
#include <algorithm>

namespace sendoff::channel {

namespace {

constexpr qsizetype maxPayload = 4096; // of notification and data together
constexpr qint64 maxTtl = 2'419'200;   // four weeks, in seconds
// Where a quota's end is not told: counts are by the minute.
constexpr Milliseconds quotaWait{60'000};

JsonValue text(const QString &value)
{
    return JsonValue::string(value);
}

// When Apple and Google may drop it as late.
void addExpiry(Milliseconds validFor, std::vector<JsonValue::Member> &android, std::vector<JsonValue::Member> &headers)
{
    const qint64 seconds = std::clamp<qint64>(validFor.count() / 1000, 1, maxTtl);
    android.emplace_back(QStringLiteral("ttl"), text(QStringLiteral("%1s").arg(seconds)));
    const Timestamp end = SystemClock().now() + std::chrono::seconds(seconds);
    const qint64 epoch = std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch()).count();
    headers.emplace_back(QStringLiteral("apns-expiration"), text(QString::number(epoch)));
}

Result<QByteArray> compose(const ProviderSettings &, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    const auto invalid = [](const QString &why) { return Error{ErrorCode::Invalid, why}; };
    if (const auto checked = checkComposition(Channel::Push, message, address); !checked)
        return checked.error();
    if (message.title.isEmpty() && message.text.isEmpty())
        return invalid(QStringLiteral("the message has neither title nor text; give the template one of them"));

    std::vector<JsonValue::Member> notification;
    if (!message.title.isEmpty())
        notification.emplace_back(QStringLiteral("title"), text(message.title));
    if (!message.text.isEmpty())
        notification.emplace_back(QStringLiteral("body"), text(message.text));
    const JsonValue shown = JsonValue::object(std::move(notification));
    const JsonValue link = JsonValue::object({{QStringLiteral("url"), text(message.link)}});
    const qsizetype size = shown.toJson().size() + (message.link.isEmpty() ? 0 : link.toJson().size());
    if (size > maxPayload)
        return invalid(QStringLiteral("the notification is %1 bytes, FCM takes %2; shorten title and text")
                           .arg(size)
                           .arg(maxPayload));

    // FCM knows no keys. With these a second copy replaces the first one on the device instead of standing beside it.
    // No collapse_key: FCM keeps four of them for a device that is away and drops the messages of all others.
    std::vector<JsonValue::Member> android{
        {QStringLiteral("notification"), JsonValue::object({{QStringLiteral("tag"), text(id.value)}})}};
    std::vector<JsonValue::Member> headers{{QStringLiteral("apns-collapse-id"), text(id.value)}};
    if (message.validFor)
        addExpiry(*message.validFor, android, headers);

    std::vector<JsonValue::Member> members{{QStringLiteral("token"), text(address)},
                                           {QStringLiteral("notification"), shown}};
    if (!message.link.isEmpty())
        members.emplace_back(QStringLiteral("data"), link);
    members.emplace_back(QStringLiteral("android"), JsonValue::object(std::move(android)));
    members.emplace_back(QStringLiteral("apns"),
                         JsonValue::object({{QStringLiteral("headers"), JsonValue::object(std::move(headers))}}));
    return JsonValue::object({{QStringLiteral("message"), JsonValue::object(std::move(members))}}).toJson();
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    HttpRequest made;
    const auto account = ServiceAccount::read(provider.apiKey);
    const QString project = account ? account->projectId : QString();
    made.url = endpoint(provider.baseUrl, QStringLiteral("/v1/projects/%1/messages:send").arg(project));
    made.headers = {{"User-Agent", userAgent()}, {"Accept", "application/json"}};
    made.body = items.front().body;
    return made;
}

QJsonArray details(const QJsonObject &error)
{
    return error.value(QLatin1String("details")).toArray();
}

// The errorCode of the detail typed FcmError, empty where there is none.
QString fcmErrorCode(const QJsonObject &error)
{
    for (const QJsonValue &detail : details(error)) {
        const QString type = detail.toObject().value(QLatin1String("@type")).toString();
        if (type.endsWith(QLatin1String("google.firebase.fcm.v1.FcmError")))
            return detail.toObject().value(QLatin1String("errorCode")).toString();
    }
    return {};
}

// INVALID_ARGUMENT is about the message as well as about the token: only these two say that it is the token.
bool blamesToken(const QJsonObject &error)
{
    for (const QJsonValue &detail : details(error)) {
        for (const QJsonValue &violation : detail.toObject().value(QLatin1String("fieldViolations")).toArray()) {
            if (violation.toObject().value(QLatin1String("field")) == QLatin1String("message.token"))
                return true;
        }
    }
    return error.value(QLatin1String("message"))
        .toString()
        .contains(QLatin1String("not a valid FCM registration token"), Qt::CaseInsensitive);
}

AttemptResult classifyOne(const HttpAnswer &answer, Timestamp now)
{
    if (const auto result = resultWithoutAnswer(answer))
        return *result;
    const QJsonObject body = jsonBody(answer);
    if (isSuccess(answer.status)) {
        AttemptResult result;
        result.status = answer.status;
        result.providerMessageId = body.value(QLatin1String("name")).toString();
        result.outcome = result.providerMessageId.isEmpty() ? Outcome::Unknown : Outcome::Accepted;
        if (result.outcome == Outcome::Unknown) {
            result.code = QStringLiteral("answer_without_name");
            result.text = unreadableBody(answer);
        }
        return result;
    }
    const QJsonObject error = body.value(QLatin1String("error")).toObject();
    const QString detailed = fcmErrorCode(error);
    const QString code = detailed.isEmpty() ? error.value(QLatin1String("status")).toString() : detailed;
    const std::span<const AnswerRule> rules =
        detailed.isEmpty() ? std::span<const AnswerRule>(fcmStatusRules) : std::span<const AnswerRule>(fcmErrorRules);
    AttemptResult result = resultOfRefusal(rules, Repeats::KnownByKey, answer, code,
                                           error.value(QLatin1String("message")).toString(), now);
    if (answer.status == 400 && code == QLatin1String("INVALID_ARGUMENT") && blamesToken(error)) {
        result.outcome = Outcome::PermanentRecipient;
        result.suppresses = true;
    }
    if (result.outcome == Outcome::Throttled && !result.wait)
        result.wait = quotaWait;
    return result;
}

std::vector<AttemptResult> classify(const ProviderSettings &, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    return std::vector<AttemptResult>(items.size(), classifyOne(answer, now));
}

HttpRequest tokenRequest(const ProviderSettings &provider, Timestamp now)
{
    HttpRequest made;
    const auto account = ServiceAccount::read(provider.apiKey);
    if (!account)
        return made; // the transport refuses it; check() has said what is wrong
    made.url = account->tokenUri;
    made.headers = {{"User-Agent", userAgent()}, {"Accept", "application/json"}};
    made.contentType = "application/x-www-form-urlencoded";
    const QByteArray assertion =
        signedAssertion(*account, QStringLiteral("https://www.googleapis.com/auth/firebase.messaging"), now);
    made.body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion;
    return made;
}

// What a failed fetch means for the message that waits for it: nothing of it left us.
AttemptResult tokenFailure(const HttpAnswer &answer, Timestamp now)
{
    AttemptResult result;
    result.status = answer.status;
    if (const auto without = resultWithoutAnswer(answer)) {
        result = *without;
        if (result.outcome == Outcome::Unknown)
            result.outcome = Outcome::Transient;
        if (answer.fault == Fault::Refused)
            result.text = QStringLiteral("api_key is not a service account; give the whole content of its file");
        return result;
    }
    const QJsonObject body = jsonBody(answer);
    result.code = body.value(QLatin1String("error")).toString();
    if (result.code.isEmpty())
        result.code = QStringLiteral("http_%1").arg(answer.status);
    result.text = QStringLiteral("no access token: %1").arg(body.value(QLatin1String("error_description")).toString());
    if (answer.status == 429)
        result.outcome = Outcome::Throttled;
    else if (answer.status >= 500 || answer.status == 408 || isSuccess(answer.status))
        result.outcome = Outcome::Transient;
    else
        result.outcome = Outcome::Configuration; // invalid_grant and its like: account, key or clock
    if (result.outcome != Outcome::Configuration)
        result.wait = providerWait(answer, now);
    return result;
}

std::variant<ProviderKind::Token, AttemptResult> readToken(const HttpAnswer &answer, Timestamp now)
{
    if (answer.fault == Fault::None && isSuccess(answer.status)) {
        const QJsonObject body = jsonBody(answer);
        const QByteArray token = body.value(QLatin1String("access_token")).toString().toLatin1();
        const double seconds = body.value(QLatin1String("expires_in")).toDouble(3'600);
        if (!token.isEmpty())
            return ProviderKind::Token{token, Milliseconds(qint64(std::clamp(seconds, 1.0, 86'400.0) * 1000))};
    }
    AttemptResult result = tokenFailure(answer, now);
    result.left = false;
    return result;
}

Result<void> check(const ProviderSettings &provider)
{
    const auto account = ServiceAccount::read(provider.apiKey);
    if (!account)
        return account.error();
    return checkKey(*account);
}

} // namespace

const ProviderKind &fcmKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("fcm");
        made.channel = Channel::Push;
        made.defaultBaseUrl = QStringLiteral("https://fcm.googleapis.com");
        made.documentedLimit = 10'000; // 600,000 a minute and project
        made.needsKey = true;
        made.check = check;
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        made.tokenRequest = tokenRequest;
        made.readToken = readToken;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
