#include "sandbox/resend_api.h"

#include "domain/json_document.h"
#include "sandbox/provider_errors.h"

#include <QJsonArray>
#include <QJsonObject>

namespace sendoff::sandbox {

namespace {

// What the headers say where no limit is set: so much that no client slows down for it.
constexpr qint64 unlimited = 1'000'000;
constexpr qsizetype maxRecipients = 50;
constexpr qsizetype maxBatch = 100;
constexpr size_t mostKept = 10'000;

// Tags come as names and values and go back as an object.
QJsonObject labelsOf(const QJsonValue &tags)
{
    QJsonObject labels;
    for (const QJsonValue &value : tags.toArray()) {
        const QJsonObject tag = value.toObject();
        labels.insert(tag.value(QLatin1String("name")).toString(), tag.value(QLatin1String("value")));
    }
    return labels;
}

QStringList writtenRecipients(const QJsonValue &to)
{
    if (to.isString())
        return {to.toString()};
    QStringList list;
    for (const QJsonValue &one : to.toArray())
        list.append(one.toString());
    return list;
}

QByteArray bearer(const HttpRequest &request)
{
    const QByteArray value = request.header("authorization");
    return value.toLower().startsWith("bearer ") ? value.mid(7).trimmed() : QByteArray();
}

} // namespace

bool ResendApi::owns(const QByteArray &path)
{
    return path == "/emails" || (path.startsWith("/emails/") && path.indexOf('/', 8) < 0);
}

void ResendApi::countReceptions(const Received &received)
{
    const QByteArray key = received.request.header("idempotency-key");
    if (!key.isEmpty())
        m_ledger.countReception(key);
}

QStringList ResendApi::recipients(const Received &received)
{
    QStringList list;
    const auto collect = [&](const QJsonObject &mail) {
        for (const QString &written : writtenRecipients(mail.value(QLatin1String("to"))))
            list.append(bareAddress(written));
    };
    if (received.json.isObject())
        collect(received.json.toObject());
    for (const QJsonValue &mail : received.json.toArray())
        collect(mail.toObject());
    return list;
}

Served ResendApi::serve(const Received &received, const Decision &decision, const Script &script, Moment now)
{
    Served served;
    const qint64 limit = script.ratePerSecond.value_or(unlimited);
    if (auto refusal = scriptedRefusal(decision.action, false)) {
        served.reply = *refusal;
    } else if (!m_window.take(1, limit, now.ticks)) {
        served.reply = refused(scripted(QStringLiteral("rate_limit_exceeded")));
        served.reply.headers.emplace_back("retry-after", "1");
    } else {
        served = serveUnlimited(received, decision, script, now);
    }
    const qint64 remaining = served.reply.status == 429 ? 0 : m_window.remaining(limit);
    served.reply.headers.emplace_back("ratelimit-limit", QByteArray::number(limit));
    served.reply.headers.emplace_back("ratelimit-remaining", QByteArray::number(remaining));
    served.reply.headers.emplace_back("ratelimit-reset", "1");
    return served;
}

Served ResendApi::serveUnlimited(const Received &received, const Decision &decision, const Script &script, Moment now)
{
    Served served;
    const HttpRequest &request = received.request;
    if (request.path.startsWith("/emails/") && request.path != "/emails/batch") {
        const auto no = unauthorized(request, script);
        served.reply = no                        ? refused(*no)
                       : request.method == "GET" ? one(QString::fromLatin1(request.path.mid(8)))
                                                 : refused(scripted(QStringLiteral("method_not_allowed")));
        return served;
    }
    if (const auto no = refusal(received, script)) {
        served.reply = refused(*no);
        return served;
    }
    const QByteArray key = request.header("idempotency-key");
    MessageLedger::PayloadHash payload{};
    if (!key.isEmpty()) {
        payload = MessageLedger::hashOf(request.path, request.body);
        if (auto earlier = answerOfKey(key, payload, now)) {
            served.reply = *earlier;
            return served;
        }
    }
    const QString keyText = QString::fromUtf8(key);
    served.reply = request.path == "/emails" ? acceptOne(received.json.toObject(), decision, keyText, now)
                                             : acceptBatch(received, decision, keyText, now);
    if (!key.isEmpty() && served.reply.status == 200) {
        const bool running = decision.action.delay.value_or(Milliseconds(0)).count() > 0;
        served.run = m_ledger.remember(key, payload, served.reply.body, now.ticks, running);
        served.key = running ? key : QByteArray();
    }
    return served;
}

std::optional<ResendApi::Refusal> ResendApi::unauthorized(const HttpRequest &request, const Script &script)
{
    if (!script.requireAuth)
        return std::nullopt;
    const QByteArray token = bearer(request);
    if (token.isEmpty())
        return scripted(QStringLiteral("missing_api_key"));
    if (!script.apiKey.isEmpty() && token != script.apiKey)
        return Refusal{401, QStringLiteral("validation_error"), QStringLiteral("API key is invalid")};
    return std::nullopt;
}

std::optional<ResendApi::Refusal> ResendApi::refusal(const Received &received, const Script &script)
{
    const HttpRequest &request = received.request;
    if (request.method != "POST")
        return scripted(QStringLiteral("method_not_allowed"));
    if (auto no = unauthorized(request, script))
        return no;
    for (const auto &[name, value] : request.headers) {
        if (name == "idempotency-key" && (value.isEmpty() || value.size() > 256))
            return scripted(QStringLiteral("invalid_idempotency_key"));
    }
    if (received.json.isUndefined()) {
        return Refusal{400, QStringLiteral("validation_error"), QStringLiteral("The body is not JSON.")};
    }
    return std::nullopt;
}

std::optional<HttpReply> ResendApi::answerOfKey(const QByteArray &key, const MessageLedger::PayloadHash &payload,
                                                Moment now)
{
    const MessageLedger::Remembered *original = m_ledger.remembered(key, now.ticks);
    if (!original)
        return std::nullopt;
    if (original->payload != payload)
        return refused(scripted(QStringLiteral("invalid_idempotent_request")));
    if (original->running)
        return refused(scripted(QStringLiteral("concurrent_idempotent_requests")));
    m_ledger.countSuppressed();
    HttpReply reply;
    reply.body = original->answer;
    return reply;
}

HttpReply ResendApi::acceptOne(const QJsonObject &mail, const Decision &decision, const QString &key, Moment now)
{
    const QString scriptedError = decision.action.partial.value(0);
    if (!scriptedError.isEmpty())
        return refused(scripted(scriptedError));
    if (const auto no = check(mail, false))
        return refused(*no);
    HttpReply reply;
    reply.body = "{\"id\":\"" + accept(mail, key, now) + "\"}";
    return reply;
}

HttpReply ResendApi::acceptBatch(const Received &received, const Decision &decision, const QString &key, Moment now)
{
    const QJsonArray mails = received.json.toArray();
    if (mails.isEmpty() || mails.size() > maxBatch) {
        return refused({400, QStringLiteral("validation_error"),
                        QStringLiteral("The body must be an array of 1 to %1 emails.").arg(maxBatch)});
    }
    const bool permissive = received.request.header("x-batch-validation").toLower() == "permissive";
    std::vector<std::optional<Refusal>> refusals;
    for (qsizetype i = 0; i < mails.size(); ++i) {
        const QString scriptedError = decision.action.partial.value(static_cast<int>(i));
        refusals.push_back(scriptedError.isEmpty() ? check(mails.at(i).toObject(), true) : scripted(scriptedError));
        if (refusals.back() && !permissive)
            return refused(*refusals.back()); // one bad item fails all, before any is taken
    }
    QByteArray good;
    QByteArray bad;
    for (qsizetype i = 0; i < mails.size(); ++i) {
        const auto &no = refusals[static_cast<size_t>(i)];
        if (no) {
            bad += (bad.isEmpty() ? "" : ",") + QByteArray("{\"index\":") + QByteArray::number(i) +
                   ",\"message\":" + jsonString(no->message) + "}";
        } else {
            good += (good.isEmpty() ? "" : ",") + QByteArray("{\"id\":\"") + accept(mails.at(i).toObject(), key, now) +
                    "\"}";
        }
    }
    HttpReply reply;
    reply.body = "{\"data\":[" + good + "]" + (bad.isEmpty() ? "" : ",\"errors\":[" + bad + "]") + "}";
    return reply;
}

QByteArray ResendApi::accept(const QJsonObject &mail, const QString &key, Moment now)
{
    const QByteArray id = m_ids.next();
    AcceptedMessage message;
    message.provider = QStringLiteral("resend");
    message.id = QString::fromLatin1(id);
    message.key = key;
    message.to = writtenRecipients(mail.value(QLatin1String("to"))).join(QStringLiteral(", "));
    message.subject = mail.value(QLatin1String("subject")).toString();
    const QString text = mail.value(QLatin1String("text")).toString();
    message.preview = (text.isEmpty() ? mail.value(QLatin1String("html")).toString() : text).left(previewLength);
    message.at = now.wall;
    message.from = mail.value(QLatin1String("from")).toString();
    message.labels = labelsOf(mail.value(QLatin1String("tags")));
    keep(message);
    m_ledger.accept(std::move(message));
    return id;
}

// Everything arrives here at once, whatever its callbacks say.
void ResendApi::keep(const AcceptedMessage &message)
{
    QByteArrayList to;
    for (const QString &one : message.to.split(QStringLiteral(", ")))
        to.append(jsonString(one));
    m_mails.insert(message.id,
                   "{\"object\":\"email\",\"id\":" + jsonString(message.id) + ",\"to\":[" + to.join(',') +
                       "],\"from\":" + jsonString(message.from) + ",\"subject\":" + jsonString(message.subject) +
                       ",\"created_at\":" + jsonString(toRfc3339(message.at)) + ",\"last_event\":\"delivered\"}");
    m_order.push_back(message.id);
    if (m_order.size() > mostKept) {
        m_mails.remove(m_order.front());
        m_order.pop_front();
    }
}

HttpReply ResendApi::one(const QString &id) const
{
    const auto found = m_mails.constFind(id);
    if (found == m_mails.constEnd())
        return refused({404, QStringLiteral("not_found"), QStringLiteral("There is no such email.")});
    HttpReply reply;
    reply.body = *found;
    return reply;
}

void ResendApi::reset()
{
    m_mails.clear();
    m_order.clear();
}

std::optional<ResendApi::Refusal> ResendApi::check(const QJsonObject &mail, bool inBatch)
{
    const auto missing = [](const QString &field) {
        return Refusal{422, QStringLiteral("missing_required_field"), QStringLiteral("Missing `%1` field.").arg(field)};
    };
    for (const QLatin1String field : {QLatin1String("from"), QLatin1String("to"), QLatin1String("subject")}) {
        const QJsonValue value = mail.value(field);
        if (value.isUndefined() || value.isNull() || (value.isString() && value.toString().isEmpty()))
            return missing(field);
    }
    if (!bareAddress(mail.value(QLatin1String("from")).toString()).contains(u'@'))
        return scripted(QStringLiteral("invalid_from_address"));
    if (auto no = checkRecipients(mail.value(QLatin1String("to"))))
        return no;
    if (!mail.value(QLatin1String("subject")).isString())
        return Refusal{400, QStringLiteral("validation_error"), QStringLiteral("The `subject` must be a string.")};
    if (!mail.value(QLatin1String("html")).isString() && !mail.value(QLatin1String("text")).isString() &&
        !mail.value(QLatin1String("template")).isObject())
        return missing(QStringLiteral("html` or `text"));
    if (inBatch) {
        for (const QLatin1String field : {QLatin1String("attachments"), QLatin1String("scheduled_at")}) {
            if (mail.contains(field)) {
                return Refusal{422, QStringLiteral("invalid_parameter"),
                               QStringLiteral("`%1` can't stand in a batch.").arg(field)};
            }
        }
    }
    return std::nullopt;
}

std::optional<ResendApi::Refusal> ResendApi::checkRecipients(const QJsonValue &to)
{
    const QStringList written = writtenRecipients(to);
    bool good = !written.isEmpty() && written.size() <= maxRecipients;
    for (const QString &one : written) {
        const QString address = bareAddress(one);
        const qsizetype at = address.lastIndexOf(u'@');
        good = good && at > 0 && at < address.size() - 1;
    }
    if (good)
        return std::nullopt;
    return Refusal{400, QStringLiteral("validation_error"),
                   QStringLiteral("The `to` field must hold 1 to %1 addresses.").arg(maxRecipients)};
}

ResendApi::Refusal ResendApi::scripted(const QString &name)
{
    const auto known = providerError(name);
    return {known && known->status >= 300 ? known->status : 422, name, known ? known->message : name};
}

HttpReply ResendApi::refused(const Refusal &refusal)
{
    HttpReply reply;
    reply.status = refusal.status;
    reply.body = resendError(refusal.status, refusal.name, refusal.message);
    return reply;
}

} // namespace sendoff::sandbox
