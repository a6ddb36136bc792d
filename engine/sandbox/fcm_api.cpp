#include "sandbox/fcm_api.h"

#include "domain/json_document.h"

#include <QJsonDocument>
#include <QUrlQuery>
#include <array>

namespace sendoff::sandbox {

namespace {

constexpr auto tokenPath = "/token";
constexpr qsizetype maxPayload = 4096;
constexpr qsizetype maxTokens = 1000;

// The usual statuses and canonical names of FCM's own errors.
struct KnownError
{
    const char *code;
    int status;
    const char *canonical;
};
constexpr std::array knownErrors{KnownError{"UNREGISTERED", 404, "NOT_FOUND"},
                                 KnownError{"INVALID_ARGUMENT", 400, "INVALID_ARGUMENT"},
                                 KnownError{"SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED"},
                                 KnownError{"QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED"},
                                 KnownError{"UNAVAILABLE", 503, "UNAVAILABLE"},
                                 KnownError{"INTERNAL", 500, "INTERNAL"},
                                 KnownError{"THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED"}};

QJsonObject messageOf(const Received &received)
{
    return received.json.toObject().value(QLatin1String("message")).toObject();
}

// FCM has no key: what makes a device replace one notification by the other names the delivery.
QString keyOf(const QJsonObject &message)
{
    const QJsonObject android = message.value(QLatin1String("android")).toObject();
    const QString tag = android.value(QLatin1String("notification")).toObject().value(QLatin1String("tag")).toString();
    if (!tag.isEmpty())
        return tag;
    const QJsonObject apns = message.value(QLatin1String("apns")).toObject();
    return apns.value(QLatin1String("headers")).toObject().value(QLatin1String("apns-collapse-id")).toString();
}

qsizetype payloadSize(const QJsonObject &message)
{
    qsizetype size = 0;
    for (const QLatin1String name : {QLatin1String("notification"), QLatin1String("data")})
        size += QJsonDocument(message.value(name).toObject()).toJson(QJsonDocument::Compact).size();
    return size;
}

} // namespace

bool FcmApi::owns(const QByteArray &path)
{
    return path == tokenPath || (path.startsWith("/v1/projects/") && path.endsWith("/messages:send"));
}

void FcmApi::countReceptions(const Received &received)
{
    const QString key = keyOf(messageOf(received));
    if (!key.isEmpty())
        m_ledger.countReception(key.toUtf8());
}

QStringList FcmApi::recipients(const Received &received)
{
    const QString token = messageOf(received).value(QLatin1String("token")).toString();
    return token.isEmpty() ? QStringList() : QStringList{token};
}

Served FcmApi::serve(const Received &received, const Decision &decision, const Script &, Moment now)
{
    Served served;
    if (auto refusal = scripted(decision.action))
        served.reply = *refusal;
    else if (received.request.method != "POST")
        served.reply.status = 405;
    else
        served.reply = received.request.path == tokenPath ? token(received) : send(received, now);
    return served;
}

HttpReply FcmApi::token(const Received &received)
{
    const QUrlQuery form(QString::fromLatin1(received.request.body));
    HttpReply reply;
    if (form.queryItemValue(QStringLiteral("assertion")).count(u'.') != 2) {
        reply.status = 400;
        reply.body = R"({"error":"invalid_grant","error_description":"Invalid JWT."})";
        return reply;
    }
    if (m_tokens.size() >= maxTokens)
        m_tokens.clear();
    const QByteArray token = "sandbox-" + m_ids.next();
    m_tokens.insert(token);
    reply.body = R"({"access_token":")" + token + R"(","expires_in":3599,"token_type":"Bearer"})";
    return reply;
}

bool FcmApi::isAuthorized(const HttpRequest &request) const
{
    const QByteArray value = request.header("authorization");
    return value.startsWith("Bearer ") && m_tokens.contains(value.mid(7));
}

HttpReply FcmApi::send(const Received &received, Moment now)
{
    if (!isAuthorized(received.request))
        return refused(401, QStringLiteral("UNAUTHENTICATED"), {},
                       QStringLiteral("Request had invalid authentication credentials."));
    const QJsonObject message = messageOf(received);
    const QString device = message.value(QLatin1String("token")).toString();
    if (device.isEmpty())
        return refused(400, QStringLiteral("INVALID_ARGUMENT"), QStringLiteral("INVALID_ARGUMENT"),
                       QStringLiteral("The registration token is not a valid FCM registration token"));
    if (payloadSize(message) > maxPayload)
        return refused(400, QStringLiteral("INVALID_ARGUMENT"), {},
                       QStringLiteral("Request contains an invalid argument."));
    const QJsonObject shown = message.value(QLatin1String("notification")).toObject();
    AcceptedMessage accepted;
    accepted.provider = QStringLiteral("fcm");
    accepted.id = QString::fromLatin1(received.request.path.chopped(5)) + u'/' + QString::fromLatin1(m_ids.next());
    accepted.id.remove(0, 4); // "/v1/", and ":send" is gone: projects/P/messages/ID
    accepted.key = keyOf(message);
    accepted.to = device;
    accepted.title = shown.value(QLatin1String("title")).toString();
    accepted.preview = shown.value(QLatin1String("body")).toString().left(previewLength);
    accepted.at = now.wall;
    HttpReply reply;
    reply.body = "{\"name\":" + jsonString(accepted.id) + "}";
    m_ledger.accept(std::move(accepted));
    return reply;
}

HttpReply FcmApi::refused(int status, const QString &canonical, const QString &errorCode, const QString &message)
{
    HttpReply reply;
    reply.status = status;
    reply.body = "{\"error\":{\"code\":" + QByteArray::number(status) + ",\"message\":" + jsonString(message) +
                 ",\"status\":" + jsonString(canonical);
    if (!errorCode.isEmpty())
        reply.body += R"(,"details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":)" +
                      jsonString(errorCode) + "}]";
    reply.body += "}}";
    return reply;
}

// A script's refusal in FCM's own form. Its error names are FCM's; a script writes the status beside them.
std::optional<HttpReply> FcmApi::scripted(const Action &action)
{
    if (!action.redirect.isEmpty())
        return scriptedRefusal(action, true);
    if (action.error.isEmpty() && action.status.value_or(200) < 300)
        return std::nullopt;
    for (const KnownError &known : knownErrors) {
        const bool isNamed = action.error == QLatin1String(known.code);
        if (isNamed || (action.error.isEmpty() && action.status == known.status)) {
            HttpReply reply = refused(action.status.value_or(known.status), QLatin1String(known.canonical),
                                      QLatin1String(known.code), QStringLiteral("Scripted."));
            reply.body = action.body.value_or(reply.body);
            return reply;
        }
    }
    HttpReply reply =
        refused(action.status.value_or(400), action.error.isEmpty() ? QStringLiteral("UNKNOWN") : action.error, {},
                QStringLiteral("Scripted."));
    reply.body = action.body.value_or(reply.body);
    return reply;
}

} // namespace sendoff::sandbox
