#include "sandbox/sandbox_pages.h"

#include "domain/json_document.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace sendoff::sandbox {

bool isOwnPage(const QByteArray &path)
{
    return path == "/sandbox" || path.startsWith("/sandbox/");
}

QByteArray messagesPage(const std::vector<AcceptedMessage> &messages)
{
    QJsonArray list;
    for (const AcceptedMessage &message : messages) {
        list.append(QJsonObject{{QStringLiteral("provider"), message.provider},
                                {QStringLiteral("id"), message.id},
                                {QStringLiteral("key"), message.key},
                                {QStringLiteral("to"), message.to},
                                {QStringLiteral("subject"), message.subject},
                                {QStringLiteral("title"), message.title},
                                {QStringLiteral("text"), message.preview},
                                {QStringLiteral("at"), toRfc3339(message.at)},
                                {QStringLiteral("receptions"), message.receptions}});
    }
    return QJsonDocument(list).toJson(QJsonDocument::Compact);
}

QByteArray statsPage(const Stats &stats)
{
    QJsonObject statuses;
    for (auto it = stats.statuses.begin(); it != stats.statuses.end(); ++it)
        statuses.insert(it.key() == 0 ? QStringLiteral("none") : QString::number(it.key()), it.value());
    return QJsonDocument(QJsonObject{{QStringLiteral("requests"), stats.requests},
                                     {QStringLiteral("accepted"), stats.accepted},
                                     {QStringLiteral("duplicates_suppressed"), stats.duplicatesSuppressed},
                                     {QStringLiteral("distinct_keys"), stats.distinctKeys},
                                     {QStringLiteral("repeated_keys"), stats.repeatedKeys},
                                     {QStringLiteral("statuses"), statuses}})
        .toJson(QJsonDocument::Compact);
}

QByteArray messagePage(const QString &message)
{
    return "{\"message\":" + jsonString(message) + "}";
}

} // namespace sendoff::sandbox
