#include "render/escaping.h"

#include <QUrl>

namespace sendoff::render {

namespace {

QString percentEncoded(const QString &text)
{
    return QString::fromLatin1(QUrl::toPercentEncoding(text));
}

// "=" and "`" matter where quotes are missing or a client is old; the quotes in attributes.
QString escapedHtml(const QString &text)
{
    QString safe;
    safe.reserve(text.size() + 16);
    for (const QChar each : text) {
        switch (each.unicode()) {
        case u'&':
            safe += QLatin1String("&amp;");
            break;
        case u'<':
            safe += QLatin1String("&lt;");
            break;
        case u'>':
            safe += QLatin1String("&gt;");
            break;
        case u'"':
            safe += QLatin1String("&quot;");
            break;
        case u'\'':
            safe += QLatin1String("&#39;");
            break;
        case u'`':
            safe += QLatin1String("&#96;");
            break;
        case u'=':
            safe += QLatin1String("&#61;");
            break;
        default:
            safe += each;
        }
    }
    return safe;
}

QString escapedUnquoted(const QString &text)
{
    if (text.isEmpty())
        return QStringLiteral("\"\""); // else the next attribute would become the value
    QString safe;
    for (const QChar each : text) {
        if (each.isLetterOrNumber() || each.isSurrogate())
            safe += each;
        else
            safe += QStringLiteral("&#%1;").arg(int(each.unicode()));
    }
    return safe;
}

} // namespace

QString oneLine(QString text)
{
    for (QChar &each : text) {
        const ushort code = each.unicode();
        if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x2028 || code == 0x2029)
            each = u' ';
    }
    return text;
}

bool isSafeUrl(const QString &url)
{
    for (const QChar each : url) {
        if (each.unicode() <= 0x20 || (each.unicode() >= 0x7f && each.unicode() <= 0x9f) || each.isSpace() ||
            each == u'\\')
            return false;
    }
    if (url.startsWith(u'/'))
        return !url.startsWith(QLatin1String("//"));
    const bool isWeb = url.startsWith(QLatin1String("https://"), Qt::CaseInsensitive) ||
                       url.startsWith(QLatin1String("http://"), Qt::CaseInsensitive);
    if (!isWeb)
        return false;
    const QUrl parsed(url, QUrl::TolerantMode);
    return parsed.isValid() && !parsed.host().isEmpty() && parsed.userInfo().isEmpty();
}

std::optional<QString> escapedFor(Place place, const QString &value)
{
    switch (place) {
    case Place::Text:
        return value;
    case Place::Header:
        return oneLine(value);
    case Place::WholeLink:
        return isSafeUrl(value) ? std::optional(value) : std::nullopt;
    case Place::HtmlUrl:
        return isSafeUrl(value) ? std::optional(escapedHtml(value)) : std::nullopt;
    case Place::Link:
    case Place::HtmlUrlPart:
        return percentEncoded(value);
    case Place::Html:
        return escapedHtml(value);
    case Place::HtmlUnquoted:
        return escapedUnquoted(value);
    case Place::HtmlCode:
    case Place::HtmlMarkup:
        break; // refused before rendering
    }
    return std::nullopt;
}

} // namespace sendoff::render
