#include "sandbox/twilio_api.h"

#include "domain/json_document.h"

#include <QLocale>
#include <QRegularExpression>

namespace sendoff::sandbox {

namespace {

constexpr size_t mostKept = 10'000;
constexpr qsizetype maxText = 1600;
const QByteArray accounts = QByteArrayLiteral("/2010-04-01/Accounts/");

// "AC…/Messages.json" or "AC…/Messages/SM….json" taken apart.
struct Path
{
    QByteArray account;
    QByteArray sid; // of one message, empty: all of them
    bool isValid = false;

    explicit Path(const QByteArray &path)
    {
        const QList<QByteArray> steps = path.mid(accounts.size()).split('/');
        account = steps.value(0);
        isValid = path.endsWith(".json") &&
                  ((steps.size() == 2 && steps[1] == "Messages.json") || (steps.size() == 3 && steps[1] == "Messages"));
        if (steps.size() == 3)
            sid = steps[2].chopped(5);
    }
};

QUrlQuery formOf(QByteArray text)
{
    return QUrlQuery(QString::fromUtf8(text.replace('+', "%20")));
}

QString valueOf(const QUrlQuery &form, const char *name)
{
    return form.queryItemValue(QLatin1String(name), QUrl::FullyDecoded);
}

int codeOfStatus(int status)
{
    switch (status) {
    case 401:
        return 20003;
    case 403:
        return 20006;
    case 404:
        return 20404;
    case 429:
        return 20429;
    case 500:
        return 20500;
    case 503:
        return 20503;
    default:
        return 20001;
    }
}

} // namespace

bool TwilioApi::owns(const QByteArray &path)
{
    return path.startsWith(accounts) && Path(path).isValid;
}

void TwilioApi::countReceptions(const Received &received)
{
    // Our own id of the delivery stands in the address of its callbacks.
    const QUrl callback(valueOf(formOf(received.request.body), "StatusCallback"));
    const QByteArray key = QUrlQuery(callback).queryItemValue(QStringLiteral("delivery")).toUtf8();
    if (received.request.method == "POST" && !key.isEmpty())
        m_ledger.countReception(key);
}

QStringList TwilioApi::recipients(const Received &received)
{
    return {valueOf(formOf(received.request.body), "To")};
}

Served TwilioApi::serve(const Received &received, const Decision &decision, const Script &script, Moment now)
{
    Served served;
    const HttpRequest &request = received.request;
    if (auto refusal = scriptedRefusal(decision.action, false)) {
        served.reply = *refusal;
        if (!decision.action.body && decision.action.redirect.isEmpty()) {
            const int code = decision.action.error.toInt();
            served.reply = refused(refusal->status, code > 0 ? code : codeOfStatus(refusal->status));
        }
        return served;
    }
    if (script.ratePerSecond && !m_window.take(1, *script.ratePerSecond, now.ticks)) {
        served.reply = refused(429, 20429);
    } else if (!isAuthorized(received, script)) {
        served.reply = refused(401, 20003);
    } else if (request.method == "GET") {
        const Path path(request.path);
        served.reply = path.sid.isEmpty() ? list(formOf(request.query)) : one(path.sid);
    } else if (request.method != "POST" || !Path(request.path).sid.isEmpty()) {
        served.reply = refused(405, 20004);
    } else {
        const QUrlQuery form = formOf(request.body);
        const int problem = problemOf(form);
        served.reply = problem == 0 ? create(form, Path(request.path).account, now) : refused(400, problem);
    }
    return served;
}

// Account and token, or the id of a key and its secret.
bool TwilioApi::isAuthorized(const Received &received, const Script &script)
{
    if (!script.requireAuth)
        return true;
    const QByteArray header = received.request.header("authorization");
    if (!header.toLower().startsWith("basic "))
        return false;
    const QByteArray credentials = QByteArray::fromBase64(header.mid(6).trimmed());
    const QByteArray user = credentials.left(credentials.indexOf(':'));
    const QByteArray secret = credentials.mid(user.size() + 1);
    return (user == Path(received.request.path).account || user.startsWith("SK")) && !secret.isEmpty() &&
           (script.apiKey.isEmpty() || secret == script.apiKey);
}

int TwilioApi::problemOf(const QUrlQuery &form)
{
    static const QRegularExpression number(QStringLiteral("^\\+[1-9]\\d{4,14}$"));
    const QString to = valueOf(form, "To");
    const QString text = valueOf(form, "Body");
    const QString validity = valueOf(form, "ValidityPeriod");
    if (to.isEmpty())
        return 21604;
    if (!number.match(to).hasMatch())
        return 21211;
    if (valueOf(form, "From").isEmpty() && valueOf(form, "MessagingServiceSid").isEmpty())
        return 21603;
    if (text.isEmpty())
        return 21602;
    if (text.size() > maxText)
        return 21617;
    if (!validity.isEmpty() && (validity.toInt() < 1 || validity.toInt() > 36'000))
        return 21624;
    return 0;
}

HttpReply TwilioApi::create(const QUrlQuery &form, const QByteArray &account, Moment now)
{
    Message message{"SM" + m_ids.next().replace("-", ""), valueOf(form, "To"), valueOf(form, "From"), now.wall};
    AcceptedMessage accepted;
    accepted.provider = QStringLiteral("twilio");
    accepted.id = QString::fromLatin1(message.sid);
    accepted.key = QUrlQuery(QUrl(valueOf(form, "StatusCallback"))).queryItemValue(QStringLiteral("delivery"));
    accepted.to = message.to;
    accepted.preview = valueOf(form, "Body").left(previewLength);
    accepted.at = now.wall;
    accepted.from = message.from;
    accepted.callbackUrl = valueOf(form, "StatusCallback").toUtf8();
    accepted.account = account;
    m_ledger.accept(std::move(accepted));
    HttpReply reply;
    reply.status = 201;
    reply.body = json(message).replace("\"status\":\"delivered\"", "\"status\":\"queued\"");
    m_messages.push_front(std::move(message));
    if (m_messages.size() > mostKept)
        m_messages.pop_back();
    return reply;
}

HttpReply TwilioApi::list(const QUrlQuery &query) const
{
    const QString to = valueOf(query, "To");
    const QString from = valueOf(query, "From");
    const int asked = valueOf(query, "PageSize").toInt();
    const int most = asked > 0 ? std::min(asked, 1000) : 50;
    QByteArray found;
    int count = 0;
    bool isMore = false;
    for (const Message &message : m_messages) {
        if ((!to.isEmpty() && message.to != to) || (!from.isEmpty() && message.from != from))
            continue;
        isMore = ++count > most;
        if (isMore)
            break;
        found += (found.isEmpty() ? "" : ",") + json(message);
    }
    HttpReply reply;
    reply.body = "{\"messages\":[" + found + "],\"page\":0,\"next_page_uri\":" + (isMore ? "\"/more\"" : "null") + "}";
    return reply;
}

HttpReply TwilioApi::one(const QByteArray &sid) const
{
    for (const Message &message : m_messages) {
        if (message.sid == sid) {
            HttpReply reply;
            reply.body = json(message);
            return reply;
        }
    }
    return refused(404, 20404);
}

// Everything arrives here at once.
QByteArray TwilioApi::json(const Message &message)
{
    const auto seconds = std::chrono::floor<std::chrono::seconds>(message.at).time_since_epoch().count();
    const QByteArray date = QLocale::c()
                                .toString(QDateTime::fromSecsSinceEpoch(seconds, Qt::UTC),
                                          QStringLiteral("ddd, dd MMM yyyy HH:mm:ss '+0000'"))
                                .toLatin1();
    return "{\"sid\":\"" + message.sid +
           "\",\"status\":\"delivered\",\"error_code\":null,\"direction\":\"outbound-api\"" +
           ",\"to\":" + jsonString(message.to) + ",\"from\":" + jsonString(message.from) + ",\"date_created\":\"" +
           date + "\",\"date_updated\":\"" + date + "\"}";
}

HttpReply TwilioApi::refused(int status, int code)
{
    const QByteArray number = QByteArray::number(code);
    HttpReply reply;
    reply.status = status;
    reply.body = "{\"code\":" + number + ",\"message\":\"Refused with code " + number +
                 ".\",\"more_info\":\"https://www.twilio.com/docs/errors/" + number +
                 "\",\"status\":" + QByteArray::number(status) + "}";
    return reply;
}

} // namespace sendoff::sandbox
