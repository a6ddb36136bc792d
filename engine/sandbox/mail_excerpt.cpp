#include "sandbox/mail_excerpt.h"

#include <QRegularExpression>
#include <utility>

namespace sendoff::sandbox {

namespace {

constexpr int deepest = 8; // multiparts inside each other

struct Part
{
    QByteArray head; // unfolded
    QByteArray body;
};

Part partOf(const QByteArray &bytes)
{
    const qsizetype end = bytes.startsWith("\r\n") ? 0 : bytes.indexOf("\r\n\r\n");
    if (end < 0)
        return {bytes, {}};
    QByteArray head = bytes.left(end);
    head.replace("\r\n ", " ").replace("\r\n\t", " ");
    return {head, bytes.mid(end == 0 ? 2 : end + 4)};
}

QByteArray headerOf(const Part &part, const QByteArray &name)
{
    for (const QByteArray &line : part.head.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        if (colon > 0 && line.left(colon).compare(name, Qt::CaseInsensitive) == 0)
            return line.mid(colon + 1).trimmed();
    }
    return {};
}

QByteArray fromQuoted(QByteArray text)
{
    text.replace("=\r\n", "");
    return QByteArray::fromPercentEncoding(text, '=');
}

// Encoded words of UTF-8; what stands between two of them is no text.
QString wordsOf(const QByteArray &value)
{
    static const QRegularExpression word(QStringLiteral("=\\?utf-8\\?([bq])\\?([^?]*)\\?="),
                                         QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression gap(QStringLiteral("\\?=\\s+=\\?"));
    QString rest = QString::fromUtf8(value);
    rest.replace(gap, QStringLiteral("?==?"));
    QByteArray read;
    qsizetype at = 0;
    for (auto found = word.globalMatch(rest); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        const QByteArray coded = match.captured(2).toLatin1();
        const bool isBase64 = match.captured(1).compare(QLatin1String("b"), Qt::CaseInsensitive) == 0;
        read += rest.mid(at, match.capturedStart() - at).toUtf8();
        read += isBase64 ? QByteArray::fromBase64(coded) : fromQuoted(QByteArray(coded).replace('_', ' '));
        at = match.capturedEnd();
    }
    return QString::fromUtf8(read + rest.mid(at).toUtf8());
}

QByteArray boundaryOf(const QByteArray &contentType)
{
    static const QRegularExpression boundary(QStringLiteral("boundary=\"?([^\";]+)\"?"),
                                             QRegularExpression::CaseInsensitiveOption);
    return boundary.match(QString::fromLatin1(contentType)).captured(1).toLatin1();
}

QString textOf(const Part &part, int depth)
{
    const QByteArray type = headerOf(part, "content-type");
    if (type.toLower().startsWith("multipart/") && depth < deepest) {
        const QByteArray line = "--" + boundaryOf(type);
        qsizetype at = part.body.indexOf(line);
        while (at >= 0) {
            const qsizetype begin = part.body.indexOf("\r\n", at) + 2;
            const qsizetype next = part.body.indexOf("\r\n" + line, at + line.size());
            if (next < begin)
                return {};
            const QString text = textOf(partOf(part.body.mid(begin, next - begin)), depth + 1);
            if (!text.isEmpty())
                return text;
            at = next + 2;
        }
        return {};
    }
    if (!type.isEmpty() && !type.toLower().startsWith("text/"))
        return {};
    const QByteArray encoding = headerOf(part, "content-transfer-encoding").toLower();
    if (encoding == "base64")
        return QString::fromUtf8(QByteArray::fromBase64(part.body));
    return QString::fromUtf8(encoding == "quoted-printable" ? fromQuoted(part.body) : part.body);
}

} // namespace

MailExcerpt excerptOf(const QByteArray &mail)
{
    const Part part = partOf(mail);
    MailExcerpt excerpt;
    QByteArray id = headerOf(part, "message-id");
    if (id.startsWith('<') && id.endsWith('>'))
        id = id.mid(1, id.size() - 2);
    excerpt.messageId = QString::fromUtf8(id);
    excerpt.from = wordsOf(headerOf(part, "from"));
    excerpt.subject = wordsOf(headerOf(part, "subject"));
    excerpt.text = textOf(part, 0);
    return excerpt;
}

} // namespace sendoff::sandbox
