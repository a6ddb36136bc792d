#include "sandbox/expo_api.h"

#include "domain/json_document.h"
#include "sandbox/provider_errors.h"

#include <QJsonDocument>

namespace sendoff::sandbox {

namespace {

constexpr auto sendPath = "/--/api/v2/push/send";
constexpr auto receiptsPath = "/--/api/v2/push/getReceipts";
constexpr size_t maxNotifications = 100;
constexpr qsizetype maxReceipts = 1000;
constexpr qsizetype maxMessageBytes = 4096;
constexpr size_t maxReceiptErrors = 100'000;

// Expo has no key of its own: a sender that marks its messages does it in their data, or by what makes a phone
// replace one by the other.
QString keyOf(const QJsonObject &message)
{
    const QJsonObject marks = message.value(QLatin1String("data")).toObject();
    for (const QLatin1String name : {QLatin1String("sendoff_delivery"), QLatin1String("delivery"),
                                     QLatin1String("delivery_id"), QLatin1String("deliveryId")}) {
        const QString key = marks.value(name).toString();
        if (!key.isEmpty())
            return key;
    }
    const QString collapse = message.value(QLatin1String("collapseId")).toString();
    return collapse.isEmpty() ? message.value(QLatin1String("tag")).toString() : collapse;
}

} // namespace

bool ExpoApi::owns(const QByteArray &path)
{
    return path == sendPath || path == receiptsPath;
}

std::vector<ExpoApi::Notification> ExpoApi::notifications(const Received &received)
{
    std::vector<Notification> list;
    const auto collect = [&](const QJsonObject &message) {
        const QJsonValue to = message.value(QLatin1String("to"));
        if (!to.isArray()) {
            list.push_back({message, to.toString()});
            return;
        }
        for (const QJsonValue &token : to.toArray())
            list.push_back({message, token.toString()});
    };
    if (received.json.isObject())
        collect(received.json.toObject());
    for (const QJsonValue &message : received.json.toArray())
        collect(message.toObject());
    return list;
}

void ExpoApi::countReceptions(const Received &received)
{
    if (received.request.path != sendPath)
        return;
    const auto count = [this](const QJsonObject &message) {
        const QString key = keyOf(message);
        if (!key.isEmpty())
            m_ledger.countReception(key.toUtf8());
    };
    if (received.json.isObject())
        count(received.json.toObject());
    for (const QJsonValue &message : received.json.toArray())
        count(message.toObject());
}

QStringList ExpoApi::recipients(const Received &received)
{
    QStringList tokens;
    for (const Notification &notification : notifications(received))
        tokens.append(notification.token);
    return tokens;
}

Served ExpoApi::serve(const Received &received, const Decision &decision, const Script &script, Moment now)
{
    Served served;
    const HttpRequest &request = received.request;
    if (auto refusal = scriptedRefusal(decision.action, true))
        served.reply = *refusal;
    else if (request.method != "POST")
        served.reply.status = 405;
    else if (!script.expoAccessToken.isEmpty() && request.header("authorization") != "Bearer " + script.expoAccessToken)
        served.reply = refused(QStringLiteral("UNAUTHORIZED"));
    else if (received.json.isUndefined())
        served.reply = refused(QStringLiteral("VALIDATION_ERROR"));
    else
        served.reply = request.path == sendPath ? send(received, decision, script, now) : receipts(received);
    return served;
}

HttpReply ExpoApi::send(const Received &received, const Decision &decision, const Script &script, Moment now)
{
    const std::vector<Notification> list = notifications(received);
    if (list.size() > maxNotifications)
        return refused(QStringLiteral("PUSH_TOO_MANY_NOTIFICATIONS"));
    bool complete = !list.empty();
    for (const Notification &one : list)
        complete = complete && !one.token.isEmpty();
    if (!complete)
        return refused(QStringLiteral("VALIDATION_ERROR"));
    const auto count = static_cast<qint64>(list.size());
    if (script.expoRatePerSecond && !m_window.take(count, *script.expoRatePerSecond, now.ticks))
        return refused(QStringLiteral("TOO_MANY_REQUESTS"));

    QByteArray tickets;
    for (size_t i = 0; i < list.size(); ++i) {
        if (i > 0)
            tickets += ',';
        tickets += ticket(list[i], static_cast<int>(i), decision, now);
    }
    // One message to one token, posted as an object, is answered by an object.
    const bool single = received.json.isObject() && !received.json.toObject().value(QLatin1String("to")).isArray();
    HttpReply reply;
    reply.body = single ? "{\"data\":" + tickets + "}" : "{\"data\":[" + tickets + "]}";
    return reply;
}

QByteArray ExpoApi::ticket(const Notification &notification, int position, const Decision &decision, Moment now)
{
    const QJsonObject &message = notification.message;
    QString error = decision.action.partial.value(position);
    if (error.isEmpty())
        error = decision.ticketErrors.value(notification.token);
    if (error.isEmpty())
        error = decision.action.error; // only a ticket's error comes so far
    if (error.isEmpty() && QJsonDocument(message).toJson(QJsonDocument::Compact).size() > maxMessageBytes)
        error = QStringLiteral("MessageTooBig");
    if (!error.isEmpty())
        return errorTicket(error, notification.token);

    const QByteArray id = m_ids.next();
    const QString receipt = decision.receiptErrors.value(notification.token, decision.action.receipt);
    if (!receipt.isEmpty()) {
        if (m_receiptErrors.size() >= maxReceiptErrors)
            m_receiptErrors.erase(m_receiptErrors.begin());
        m_receiptErrors.emplace(m_ids.last(), receipt);
    }
    AcceptedMessage accepted;
    accepted.provider = QStringLiteral("expo");
    accepted.id = QString::fromLatin1(id);
    accepted.key = keyOf(message);
    accepted.to = notification.token;
    accepted.title = message.value(QLatin1String("title")).toString();
    accepted.preview = message.value(QLatin1String("body")).toString().left(previewLength);
    accepted.at = now.wall;
    m_ledger.accept(std::move(accepted));
    return "{\"status\":\"ok\",\"id\":\"" + id + "\"}";
}

QByteArray ExpoApi::errorTicket(const QString &name, const QString &token)
{
    const auto known = providerError(name);
    QString message = known ? known->message : name;
    QByteArray details = "\"error\":" + jsonString(name);
    if (name == QStringLiteral("DeviceNotRegistered") && !token.isEmpty()) {
        // The real one names the token in its text as well: what reads it must take it out again.
        message = QStringLiteral("\"%1\" is not a registered device").arg(token);
        details += ",\"expoPushToken\":" + jsonString(token);
    } else if (name == QStringLiteral("ProviderError")) {
        details += ",\"fault\":\"fcm\",\"fcm\":{\"error\":\"MismatchSenderId\"}";
    }
    return "{\"status\":\"error\",\"message\":" + jsonString(message) + ",\"details\":{" + details + "}}";
}

HttpReply ExpoApi::receipts(const Received &received) const
{
    const QJsonArray ids = received.json.toObject().value(QLatin1String("ids")).toArray();
    if (ids.isEmpty())
        return refused(QStringLiteral("VALIDATION_ERROR"));
    if (ids.size() > maxReceipts)
        return refused(QStringLiteral("PUSH_TOO_MANY_RECEIPTS"));
    QByteArray list;
    for (const QJsonValue &value : ids) {
        const QString id = value.toString();
        const qint64 counter = m_ids.counterOf(id);
        if (counter == 0)
            continue; // never given, or forgotten: absent, as with the real one
        const auto scripted = m_receiptErrors.find(counter);
        if (scripted != m_receiptErrors.end() && scripted->second == QStringLiteral("absent"))
            continue;
        if (!list.isEmpty())
            list += ',';
        list += jsonString(id) + ":";
        list += scripted == m_receiptErrors.end() ? QByteArray("{\"status\":\"ok\"}")
                                                  : errorTicket(scripted->second, QString());
    }
    HttpReply reply;
    reply.body = "{\"data\":{" + list + "}}";
    return reply;
}

HttpReply ExpoApi::refused(const QString &code)
{
    const auto known = providerError(code);
    HttpReply reply;
    reply.status = known ? known->status : 400;
    reply.body = expoError(code, known ? known->message : code);
    return reply;
}

} // namespace sendoff::sandbox
