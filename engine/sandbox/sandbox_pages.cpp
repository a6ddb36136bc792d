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

QByteArray statsPage(const Stats &stats, const std::optional<SinkCounts> &mail)
{
    QJsonObject statuses;
    for (auto it = stats.statuses.begin(); it != stats.statuses.end(); ++it)
        statuses.insert(it.key() == 0 ? QStringLiteral("none") : QString::number(it.key()), it.value());
    QJsonObject page{{QStringLiteral("requests"), stats.requests},
                     {QStringLiteral("accepted"), stats.accepted},
                     {QStringLiteral("duplicates_suppressed"), stats.duplicatesSuppressed},
                     {QStringLiteral("distinct_keys"), stats.distinctKeys},
                     {QStringLiteral("repeated_keys"), stats.repeatedKeys},
                     {QStringLiteral("statuses"), statuses}};
    if (mail) {
        page.insert(QStringLiteral("smtp"), QJsonObject{{QStringLiteral("connections"), mail->connections},
                                                        {QStringLiteral("mail_commands"), mail->mailCommands},
                                                        {QStringLiteral("received"), mail->received},
                                                        {QStringLiteral("accepted"), mail->accepted}});
    }
    return QJsonDocument(page).toJson(QJsonDocument::Compact);
}

QByteArray callbacksPage(const CallbackCounts &counts, const QByteArray &sendgridKey)
{
    return QJsonDocument(QJsonObject{{QStringLiteral("posted"), counts.posted},
                                     {QStringLiteral("accepted"), counts.accepted},
                                     {QStringLiteral("refused"), counts.refused},
                                     {QStringLiteral("unanswered"), counts.unanswered},
                                     {QStringLiteral("given_up"), counts.givenUp},
                                     {QStringLiteral("waiting"), counts.waiting},
                                     {QStringLiteral("sendgrid_public_key"), QString::fromLatin1(sendgridKey)}})
        .toJson(QJsonDocument::Compact);
}

QByteArray messagePage(const QString &message)
{
    return "{\"message\":" + jsonString(message) + "}";
}

} // namespace sendoff::sandbox
