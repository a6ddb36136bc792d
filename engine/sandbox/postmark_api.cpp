#include "sandbox/postmark_api.h"

#include "domain/json_document.h"
#include "sandbox/provider_errors.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QUrlQuery>

namespace sendoff::sandbox {

namespace {

constexpr size_t mostKept = 10'000;
constexpr qsizetype maxBatch = 500;
const QByteArray outbound = QByteArrayLiteral("/messages/outbound");

QJsonArray mailsOf(const Received &received)
{
    return received.json.isArray() ? received.json.toArray() : QJsonArray{received.json};
}

QString text(const QJsonObject &mail, const char *name)
{
    return mail.value(QLatin1String(name)).toString();
}

QString deliveryOf(const QJsonObject &mail)
{
    return mail.value(QLatin1String("Metadata")).toObject().value(QLatin1String("delivery")).toString();
}

bool isAddress(const QString &written)
{
    const QString address = bareAddress(written);
    const qsizetype at = address.lastIndexOf(u'@');
    return at > 0 && at < address.size() - 1;
}

int codeOfStatus(int status)
{
    switch (status) {
    case 401:
        return 10;
    case 429:
        return 429;
    case 503:
        return 100;
    default:
        return status >= 500 ? 0 : 300; // an internal error has no code of its own
    }
}

} // namespace

bool PostmarkApi::owns(const QByteArray &path)
{
    return path == "/email" || path == "/email/batch" || path == outbound ||
           (path.startsWith(outbound + '/') && path.endsWith("/details"));
}

void PostmarkApi::countReceptions(const Received &received)
{
    for (const QJsonValue &mail : mailsOf(received)) {
        if (const QString key = deliveryOf(mail.toObject()); !key.isEmpty())
            m_ledger.countReception(key.toUtf8());
    }
}

QStringList PostmarkApi::recipients(const Received &received)
{
    QStringList list;
    for (const QJsonValue &mail : mailsOf(received)) {
        for (const QString &written : text(mail.toObject(), "To").split(u','))
            list.append(bareAddress(written));
    }
    return list;
}

Served PostmarkApi::serve(const Received &received, const Decision &decision, const Script &script, Moment now)
{
    Served served;
    const HttpRequest &request = received.request;
    const QByteArray token = request.header("x-postmark-server-token");
    if (auto scripted = scriptedRefusal(decision.action, false)) {
        served.reply = *scripted;
        if (!decision.action.body && decision.action.redirect.isEmpty()) {
            const int code = decision.action.error.toInt();
            served.reply = refused(scripted->status,
                                   {code > 0 ? code : codeOfStatus(scripted->status), QStringLiteral("Scripted.")});
        }
    } else if (script.ratePerSecond && !m_window.take(1, *script.ratePerSecond, now.ticks)) {
        served.reply = refused(429, {429, QStringLiteral("Too many requests.")});
    } else if (script.requireAuth && (token.isEmpty() || (!script.apiKey.isEmpty() && token != script.apiKey))) {
        served.reply = refused(401, {10, QStringLiteral("The server token is missing or wrong.")});
    } else if (request.method == "GET" && request.path == outbound) {
        served.reply = list(request.query);
    } else if (request.method == "GET" && request.path.startsWith(outbound)) {
        served.reply = details(request.path.mid(outbound.size() + 1).chopped(8));
    } else if (request.method != "POST" || request.path.startsWith(outbound)) {
        served.reply = refused(405, {405, QStringLiteral("This method is not allowed here.")});
    } else {
        served.reply = work(received, decision.action, now);
    }
    return served;
}

HttpReply PostmarkApi::work(const Received &received, const Action &action, Moment now)
{
    HttpReply reply;
    const bool isBatch = received.request.path == "/email/batch";
    if (received.json.isUndefined() || received.json.isArray() != isBatch)
        return refused(422, {402, QStringLiteral("The body is not the JSON that is expected here.")});
    if (!isBatch) {
        const QJsonObject mail = received.json.toObject();
        if (const auto no = refusalAt(0, mail, action))
            return refused(422, *no);
        reply.body = take(mail, now);
        return reply;
    }
    const QJsonArray mails = received.json.toArray();
    if (mails.size() > maxBatch)
        return refused(422, {410, QStringLiteral("A batch may hold 500 mails.")});
    for (qsizetype i = 0; i < mails.size(); ++i) {
        const QJsonObject mail = mails.at(i).toObject();
        const auto no = refusalAt(int(i), mail, action);
        reply.body += (reply.body.isEmpty() ? "[" : ",") + (no ? error(*no) : take(mail, now));
    }
    reply.body += mails.isEmpty() ? "[]" : "]";
    return reply;
}

std::optional<PostmarkApi::Refusal> PostmarkApi::refusalAt(int position, const QJsonObject &mail, const Action &action)
{
    const QString scripted = action.partial.value(position);
    return scripted.isEmpty() ? check(mail) : scriptedFor(isPostmarkCode(scripted) ? scripted.toInt() : 300, mail);
}

// Inactive addresses stand in the text alone, as with the real one.
PostmarkApi::Refusal PostmarkApi::scriptedFor(int code, const QJsonObject &mail)
{
    if (code == 406)
        return {code, QStringLiteral("Found inactive addresses: %1.").arg(bareAddress(text(mail, "To")))};
    return {code, QStringLiteral("Scripted.")};
}

std::optional<PostmarkApi::Refusal> PostmarkApi::check(const QJsonObject &mail)
{
    if (!isAddress(text(mail, "From")))
        return Refusal{300, QStringLiteral("Invalid 'From' address.")};
    if (text(mail, "To").isEmpty())
        return Refusal{300, QStringLiteral("Zero recipients specified")};
    for (const QString &written : text(mail, "To").split(u',')) {
        if (!isAddress(written))
            return Refusal{300, QStringLiteral("Invalid 'To' address.")};
    }
    if (text(mail, "TextBody").isEmpty() && text(mail, "HtmlBody").isEmpty())
        return Refusal{300, QStringLiteral("Provide either email TextBody or HtmlBody or both.")};
    return std::nullopt;
}

QByteArray PostmarkApi::take(const QJsonObject &mail, Moment now)
{
    Message message{m_ids.next(), deliveryOf(mail), now.wall};
    AcceptedMessage accepted;
    accepted.provider = QStringLiteral("postmark");
    accepted.id = QString::fromLatin1(message.id);
    accepted.key = message.delivery;
    accepted.to = text(mail, "To");
    accepted.subject = text(mail, "Subject");
    accepted.preview = text(mail, text(mail, "TextBody").isEmpty() ? "HtmlBody" : "TextBody").left(previewLength);
    accepted.at = now.wall;
    accepted.from = text(mail, "From");
    accepted.labels = mail.value(QLatin1String("Metadata")).toObject();
    m_ledger.accept(std::move(accepted));
    const QByteArray answer = "{\"To\":" + jsonString(text(mail, "To")) + ",\"SubmittedAt\":\"" +
                              toRfc3339(now.wall).toLatin1() + "\",\"MessageID\":\"" + message.id +
                              "\",\"ErrorCode\":0,\"Message\":\"OK\"}";
    m_messages.push_front(std::move(message));
    if (m_messages.size() > mostKept)
        m_messages.pop_back();
    return answer;
}

HttpReply PostmarkApi::list(const QByteArray &query) const
{
    const QUrlQuery asked(QString::fromUtf8(query));
    const QString delivery = asked.queryItemValue(QStringLiteral("metadata_delivery"));
    const int most = asked.queryItemValue(QStringLiteral("count")).toInt();
    QByteArray found;
    int count = 0;
    for (const Message &message : m_messages) {
        if (!delivery.isEmpty() && message.delivery != delivery)
            continue;
        if (++count <= most)
            found += (found.isEmpty() ? "" : ",") + json(message) + '}';
    }
    HttpReply reply;
    reply.body = "{\"TotalCount\":" + QByteArray::number(count) + ",\"Messages\":[" + found + "]}";
    return reply;
}

HttpReply PostmarkApi::details(const QByteArray &id) const
{
    for (const Message &message : m_messages) {
        if (message.id == id) {
            HttpReply reply;
            reply.body = json(message) + ",\"MessageEvents\":[{\"Type\":\"Delivered\",\"ReceivedAt\":\"" +
                         toRfc3339(message.at).toLatin1() + "\"}]}";
            return reply;
        }
    }
    return refused(422, {701, QStringLiteral("This message was not found.")});
}

// Without its last brace.
QByteArray PostmarkApi::json(const Message &message)
{
    return "{\"MessageID\":\"" + message.id + "\",\"Status\":\"Sent\",\"ReceivedAt\":\"" +
           toRfc3339(message.at).toLatin1() + "\",\"Metadata\":{\"delivery\":" + jsonString(message.delivery) + "}";
}

QByteArray PostmarkApi::error(const Refusal &refusal)
{
    return "{\"ErrorCode\":" + QByteArray::number(refusal.code) + ",\"Message\":" + jsonString(refusal.message) + "}";
}

HttpReply PostmarkApi::refused(int status, const Refusal &refusal)
{
    HttpReply reply;
    reply.status = status;
    reply.body = error(refusal);
    return reply;
}

} // namespace sendoff::sandbox
