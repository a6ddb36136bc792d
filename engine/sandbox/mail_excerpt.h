#pragma once
#include <QByteArray>
#include <QString>

namespace sendoff::sandbox {

// What people want to see of a mail. Pure, any thread; reads the mails of honest senders, nothing more.
struct MailExcerpt
{
    QString messageId; // without its angle brackets
    QString from;
    QString subject;
    QString text; // of its first text part, decoded, whole
};
MailExcerpt excerptOf(const QByteArray &mail);

} // namespace sendoff::sandbox
