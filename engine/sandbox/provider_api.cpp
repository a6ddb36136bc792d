#include "sandbox/provider_api.h"

#include "sandbox/provider_errors.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

namespace sendoff::sandbox {

Received::Received(const HttpRequest &from)
    : request(from)
    , json(QJsonValue::Undefined)
{
    if (from.body.isEmpty())
        return;
    const QJsonDocument document = QJsonDocument::fromJson(from.body);
    if (document.isArray())
        json = document.array();
    else if (document.isObject())
        json = document.object();
}

IdSource::IdSource()
    : m_prefix(QUuid::createUuid().toByteArray(QUuid::WithoutBraces).first(24))
{}

QByteArray IdSource::next()
{
    return m_prefix + QByteArray::number(++m_last, 16).rightJustified(12, '0');
}

qint64 IdSource::counterOf(const QString &id) const
{
    const QByteArray bytes = id.toLatin1();
    if (bytes.size() != m_prefix.size() + 12 || !bytes.startsWith(m_prefix))
        return 0;
    const qint64 counter = bytes.mid(m_prefix.size()).toLongLong(nullptr, 16);
    return counter >= m_first && counter <= m_last ? counter : 0;
}

bool SecondWindow::take(qint64 count, qint64 limit, Ticks now)
{
    if (!m_began || now - *m_began >= std::chrono::seconds(1)) {
        m_began = now;
        m_taken = 0;
    }
    if (m_taken + count > limit)
        return false;
    m_taken += count;
    return true;
}

std::optional<HttpReply> scriptedRefusal(const Action &action, bool expo)
{
    HttpReply reply;
    if (!action.redirect.isEmpty()) {
        reply.status = action.status.value_or(302);
        reply.headers.emplace_back("location", action.redirect);
        return reply;
    }
    const auto known = providerError(action.error);
    const bool ticketLevel = expo && known && known->level == ErrorLevel::ExpoTicket;
    const bool named = !action.error.isEmpty() && !ticketLevel;
    if (!named && action.status.value_or(200) < 300)
        return std::nullopt;
    reply.status = action.status.value_or(known ? known->status : statusOfCode(action.error).value_or(400));
    if (action.body) {
        reply.body = *action.body;
        return reply;
    }
    const QString name = named  ? action.error
                         : expo ? (reply.status == 429   ? QStringLiteral("TOO_MANY_REQUESTS")
                                   : reply.status >= 500 ? QStringLiteral("INTERNAL_SERVER_ERROR")
                                                         : QStringLiteral("VALIDATION_ERROR"))
                                : resendNameFor(reply.status);
    const auto found = providerError(name);
    const QString message = found ? found->message : QStringLiteral("Scripted.");
    reply.body = expo ? expoError(name, message) : resendError(reply.status, name, message);
    return reply;
}

QString bareAddress(const QString &written)
{
    const qsizetype open = written.lastIndexOf(u'<');
    const qsizetype close = written.lastIndexOf(u'>');
    if (open >= 0 && close > open)
        return written.mid(open + 1, close - open - 1).trimmed().toLower();
    return written.trimmed().toLower();
}

} // namespace sendoff::sandbox
