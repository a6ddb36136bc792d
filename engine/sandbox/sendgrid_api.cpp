#include "sandbox/sendgrid_api.h"

#include "domain/json_document.h"

#include <QJsonArray>
#include <QJsonObject>

namespace sendoff::sandbox {

namespace {

constexpr qsizetype maxRecipients = 1000;

QJsonArray personalizations(const QJsonObject &mail)
{
    return mail.value(QLatin1String("personalizations")).toArray();
}

QStringList addressesOf(const QJsonObject &personalization)
{
    QStringList list;
    for (const QJsonValue &to : personalization.value(QLatin1String("to")).toArray())
        list.append(to.toObject().value(QLatin1String("email")).toString().toLower());
    return list;
}

QString deliveryOf(const QJsonObject &personalization)
{
    return personalization.value(QLatin1String("custom_args")).toObject().value(QLatin1String("delivery")).toString();
}

// Those of the mail, and over them those of this recipient.
QJsonObject argumentsOf(const QJsonObject &mail, const QJsonObject &personalization)
{
    QJsonObject arguments = mail.value(QLatin1String("custom_args")).toObject();
    const QJsonObject own = personalization.value(QLatin1String("custom_args")).toObject();
    for (auto it = own.begin(); it != own.end(); ++it)
        arguments.insert(it.key(), it.value());
    return arguments;
}

bool isAddress(const QString &text)
{
    const qsizetype at = text.lastIndexOf(u'@');
    return at > 0 && at < text.size() - 1;
}

} // namespace

bool SendgridApi::owns(const QByteArray &path)
{
    return path == "/v3/mail/send";
}

void SendgridApi::countReceptions(const Received &received)
{
    for (const QJsonValue &one : personalizations(received.json.toObject())) {
        if (const QString key = deliveryOf(one.toObject()); !key.isEmpty())
            m_ledger.countReception(key.toUtf8());
    }
}

QStringList SendgridApi::recipients(const Received &received)
{
    QStringList list;
    for (const QJsonValue &one : personalizations(received.json.toObject()))
        list += addressesOf(one.toObject());
    return list;
}

Served SendgridApi::serve(const Received &received, const Decision &decision, const Script &script, Moment now)
{
    Served served;
    if (auto scripted = scriptedRefusal(decision.action, false)) {
        served.reply = *scripted;
        if (!decision.action.body && decision.action.redirect.isEmpty())
            served.reply = refused({scripted->status, QStringLiteral("Scripted."), decision.action.error});
    } else if (script.ratePerSecond && !m_window.take(1, *script.ratePerSecond, now.ticks)) {
        served.reply = refused({429, QStringLiteral("too many requests"), {}});
    } else if (const auto no = refusal(received, script)) {
        served.reply = refused(*no);
    } else {
        served.reply = accept(received.json.toObject(), now);
    }
    if (script.ratePerSecond) {
        const qint64 left = served.reply.status == 429 ? 0 : m_window.remaining(*script.ratePerSecond);
        const auto reset = std::chrono::floor<std::chrono::seconds>(now.wall).time_since_epoch().count() + 1;
        served.reply.headers.emplace_back("x-ratelimit-limit", QByteArray::number(*script.ratePerSecond));
        served.reply.headers.emplace_back("x-ratelimit-remaining", QByteArray::number(left));
        served.reply.headers.emplace_back("x-ratelimit-reset", QByteArray::number(qint64(reset)));
    }
    return served;
}

std::optional<SendgridApi::Refusal> SendgridApi::refusal(const Received &received, const Script &script)
{
    const HttpRequest &request = received.request;
    if (request.method != "POST")
        return Refusal{405, QStringLiteral("method not allowed"), {}};
    const QByteArray authorization = request.header("authorization");
    const QByteArray token =
        authorization.toLower().startsWith("bearer ") ? authorization.mid(7).trimmed() : QByteArray();
    if (script.requireAuth && (token.isEmpty() || (!script.apiKey.isEmpty() && token != script.apiKey)))
        return Refusal{401, QStringLiteral("The provided authorization grant is invalid, expired, or revoked"), {}};
    if (request.header("accept").isEmpty())
        return Refusal{406, QStringLiteral("The Accept header is missing"), {}};
    if (!received.json.isObject())
        return Refusal{400, QStringLiteral("Bad Request"), {}};
    return check(received.json.toObject());
}

std::optional<SendgridApi::Refusal> SendgridApi::check(const QJsonObject &mail)
{
    const auto bad = [](const char *field) {
        return Refusal{400, QStringLiteral("The field is missing or wrong."), QString::fromLatin1(field)};
    };
    qsizetype count = 0;
    for (const QJsonValue &one : personalizations(mail)) {
        const QStringList addresses = addressesOf(one.toObject());
        if (addresses.isEmpty() || !std::all_of(addresses.begin(), addresses.end(), isAddress))
            return bad("personalizations.0.to");
        count += addresses.size();
    }
    if (count == 0 || count > maxRecipients)
        return bad("personalizations");
    if (!isAddress(mail.value(QLatin1String("from")).toObject().value(QLatin1String("email")).toString()))
        return bad("from.email");
    if (mail.value(QLatin1String("subject")).toString().isEmpty())
        return bad("subject");
    const QJsonArray content = mail.value(QLatin1String("content")).toArray();
    if (content.isEmpty())
        return bad("content");
    for (const QJsonValue &part : content) {
        if (part.toObject().value(QLatin1String("value")).toString().isEmpty())
            return bad("content.0.value");
    }
    return std::nullopt;
}

HttpReply SendgridApi::accept(const QJsonObject &mail, Moment now)
{
    const QByteArray id = m_ids.next().replace("-", "");
    for (const QJsonValue &value : personalizations(mail)) {
        const QJsonObject one = value.toObject();
        AcceptedMessage message;
        message.provider = QStringLiteral("sendgrid");
        message.id = QString::fromLatin1(id);
        message.key = deliveryOf(one);
        message.to = addressesOf(one).join(QLatin1String(", "));
        message.subject = mail.value(QLatin1String("subject")).toString();
        const QJsonObject content = mail.value(QLatin1String("content")).toArray().at(0).toObject();
        message.preview = content.value(QLatin1String("value")).toString().left(previewLength);
        message.at = now.wall;
        message.from = mail.value(QLatin1String("from")).toObject().value(QLatin1String("email")).toString();
        message.labels = argumentsOf(mail, one);
        m_ledger.accept(std::move(message));
    }
    HttpReply reply;
    reply.status = 202;
    reply.headers.emplace_back("x-message-id", id);
    return reply;
}

HttpReply SendgridApi::refused(const Refusal &refusal)
{
    HttpReply reply;
    reply.status = refusal.status;
    reply.body = "{\"errors\":[{\"message\":" + jsonString(refusal.message) +
                 ",\"field\":" + (refusal.field.isEmpty() ? QByteArray("null") : jsonString(refusal.field)) +
                 ",\"help\":null}]}";
    return reply;
}

} // namespace sendoff::sandbox
