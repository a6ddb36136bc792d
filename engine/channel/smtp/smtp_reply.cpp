#include "channel/smtp/smtp_reply.h"

#include <QRegularExpression>
#include <QStringList>

namespace sendoff::channel {

namespace {

constexpr qsizetype maxLine = 2000; // four times what RFC 5321 §4.5.3.1.5 allows
constexpr qsizetype maxReply = 64 * 1024;

bool isDigit(char each)
{
    return each >= '0' && each <= '9';
}

// "250 text" and "250" end a reply, "250-text" does not; whatever is no reply line stands alone.
bool endsReply(QByteArrayView line)
{
    const bool hasCode = line.size() >= 3 && isDigit(line[0]) && isDigit(line[1]) && isDigit(line[2]);
    return !hasCode || line.size() == 3 || line[3] != '-';
}

} // namespace

SmtpReply readReply(const QByteArray &raw)
{
    static const QRegularExpression shape(QStringLiteral("^([2-5]\\d\\d)(?:[ -](.*))?$"));
    static const QRegularExpression enhanced(QStringLiteral("^([245])\\.(\\d{1,3})\\.(\\d{1,3})(?=\\s|$|[^\\d.])"));
    SmtpReply reply;
    QStringList texts;
    for (const QByteArray &line : raw.split('\n')) {
        const QString text = QString::fromUtf8(line).trimmed();
        if (text.isEmpty())
            continue;
        const QRegularExpressionMatch match = shape.match(text);
        if (!match.hasMatch()) {
            texts.append(text);
            continue;
        }
        reply.code = match.captured(1).toInt(); // the last line's
        QString words = match.captured(2).trimmed();
        const QRegularExpressionMatch codes = enhanced.match(words);
        if (codes.hasMatch()) {
            reply.hasEnhanced = true;
            reply.enhancedClass = codes.captured(1).toInt();
            reply.subject = codes.captured(2).toInt();
            reply.detail = codes.captured(3).toInt();
            if (!texts.isEmpty()) // said once is enough
                words = words.mid(codes.capturedLength()).trimmed();
        }
        texts.append(texts.isEmpty() ? text.left(3) + u' ' + words : words);
    }
    reply.text = texts.join(u' ').trimmed();
    static const QRegularExpression last(QStringLiteral("\\(#([245])\\.(\\d{1,3})\\.(\\d{1,3})\\)")); // qmail's way
    const QRegularExpressionMatch behind = last.match(reply.text);
    if (reply.code >= 400 && !reply.hasEnhanced && behind.hasMatch()) {
        reply.hasEnhanced = reply.isEnhancedLast = true;
        reply.enhancedClass = behind.captured(1).toInt();
        reply.subject = behind.captured(2).toInt();
        reply.detail = behind.captured(3).toInt();
    }
    return reply;
}

std::optional<QByteArray> SmtpReplyReader::take()
{
    qsizetype start = 0;
    while (true) {
        const qsizetype end = m_bytes.indexOf('\n', start);
        if (end < 0)
            return std::nullopt;
        const bool isLast = endsReply(QByteArrayView(m_bytes).sliced(start, end - start).trimmed());
        start = end + 1;
        if (!isLast)
            continue;
        const QByteArray reply = m_bytes.left(start);
        m_bytes.remove(0, start);
        return reply;
    }
}

bool SmtpReplyReader::isOverfull() const
{
    const qsizetype lastEnd = m_bytes.lastIndexOf('\n');
    return m_bytes.size() > maxReply || m_bytes.size() - (lastEnd + 1) > maxLine;
}

} // namespace sendoff::channel
