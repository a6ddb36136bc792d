#include "channel/mime/mime_message.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QLocale>

namespace sendoff::channel {

namespace {

QByteArray part(const QByteArray &type, const QString &text)
{
    const EncodedBody body = encodedBody(text);
    return "Content-Type: " + type + "; charset=utf-8\r\nContent-Transfer-Encoding: " + body.encoding + "\r\n\r\n" +
           body.bytes;
}

// "=_" stands in no quoted-printable and in no base64 text, so it can't occur in a part.
QByteArray boundaryOf(const MimeMessage &message)
{
    return "=_" + QCryptographicHash::hash(message.messageId, QCryptographicHash::Sha256).toHex().left(32);
}

QByteArray content(const MimeMessage &message)
{
    if (message.html.isEmpty())
        return part("text/plain", message.text);
    if (message.text.isEmpty())
        return part("text/html", message.html);
    const QByteArray boundary = boundaryOf(message);
    return "Content-Type: multipart/alternative;\r\n boundary=\"" + boundary + "\"\r\n\r\n--" + boundary + "\r\n" +
           part("text/plain", message.text) + "--" + boundary + "\r\n" + part("text/html", message.html) + "--" +
           boundary + "--\r\n";
}

} // namespace

QByteArray mailDate(Timestamp time)
{
    const QDateTime moment = QDateTime::fromMSecsSinceEpoch(time.time_since_epoch().count(), Qt::UTC);
    return QLocale::c().toString(moment, QStringLiteral("ddd, dd MMM yyyy HH:mm:ss '+0000'")).toLatin1();
}

QByteArray mimeBytes(const MimeMessage &message)
{
    QByteArray bytes = "Date: " + mailDate(message.date) + "\r\n";
    bytes += mailboxHeader("From", message.from);
    bytes += mailboxHeader("To", {{}, message.to});
    if (message.replyTo)
        bytes += mailboxHeader("Reply-To", *message.replyTo);
    bytes += textHeader("Subject", message.subject);
    bytes += tokenHeader("Message-ID", '<' + message.messageId + '>');
    if (!message.unsubscribeUrl.isEmpty()) {
        bytes += tokenHeader("List-Unsubscribe", '<' + message.unsubscribeUrl + '>');
        bytes += "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
    }
    bytes += "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"; // RFC 3834: no automatic answers, please
    return bytes + content(message);
}

} // namespace sendoff::channel
