#include "channel/compose_checks.h"

#include <algorithm>

namespace sendoff::channel {

namespace {

bool isOneLine(const QString &text)
{
    return std::none_of(text.begin(), text.end(), [](QChar each) {
        return each.category() == QChar::Other_Control || each == QChar::LineSeparator ||
               each == QChar::ParagraphSeparator;
    });
}

} // namespace

Result<void> checkComposition(Channel channel, const RenderedMessage &message, const QString &address)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    if (message.channel != channel)
        return invalid(QStringLiteral("the message is for the channel %1; this provider carries %2")
                           .arg(toText(message.channel), toText(channel)));
    if (address.trimmed().isEmpty() || !isOneLine(address))
        return invalid(QStringLiteral("address: it is empty or holds a control character; correct the contact"));
    if (!isOneLine(message.subject))
        return invalid(
            QStringLiteral("subject: it holds a line break or control character; correct the template or the payload"));
    return {};
}

QUrl endpoint(const QUrl &base, const QString &path)
{
    QUrl url(base);
    QString prefix = base.path();
    while (prefix.endsWith(u'/'))
        prefix.chop(1);
    url.setPath(prefix + path);
    return url;
}

QByteArray userAgent()
{
    return QByteArrayLiteral("Sendoff/0.1");
}

} // namespace sendoff::channel
