#include "channel/generic/body_template.h"

#include "domain/json_document.h"
#include <QUrl>

namespace sendoff::channel {

namespace {

const QString opening = QStringLiteral("{{");
const QString closing = QStringLiteral("}}");

} // namespace

std::optional<Escaping> escapingOf(const QString &contentType)
{
    const QString type = contentType.section(u';', 0, 0).trimmed().toLower();
    if (type == QLatin1String("application/json") || type.endsWith(QLatin1String("+json")))
        return Escaping::Json;
    if (type == QLatin1String("application/x-www-form-urlencoded"))
        return Escaping::Form;
    if (type == QLatin1String("application/xml") || type == QLatin1String("text/xml") ||
        type.endsWith(QLatin1String("+xml")))
        return Escaping::Xml;
    if (type == QLatin1String("text/plain"))
        return Escaping::None;
    return std::nullopt;
}

QString escaped(const QString &text, Escaping escaping)
{
    switch (escaping) {
    case Escaping::None:
        return text;
    case Escaping::Json: {
        const QString literal = QString::fromUtf8(jsonString(text));
        return literal.mid(1, literal.size() - 2); // the template has the quotes
    }
    case Escaping::Form:
        return QString::fromLatin1(QUrl::toPercentEncoding(text));
    case Escaping::Path: {
        const QString one = QString::fromLatin1(QUrl::toPercentEncoding(text));
        // These two would be read as a step in the path.
        return one == QLatin1String(".") || one == QLatin1String("..") ? QString() : one;
    }
    case Escaping::Xml: {
        QString safe;
        for (const QChar each : text) {
            const bool isForbidden = each < QChar(0x20) && each != u'\t' && each != u'\n' && each != u'\r';
            safe += isForbidden ? QChar(QChar::ReplacementCharacter) : each;
        }
        safe = safe.toHtmlEscaped();
        return safe.replace(u'\'', QStringLiteral("&#39;"));
    }
    }
    Q_UNREACHABLE();
}

QString filled(const QString &text, const QMap<QString, QString> &values, Escaping escaping)
{
    QString made;
    qsizetype at = 0;
    for (;;) {
        const qsizetype begin = text.indexOf(opening, at);
        const qsizetype end = begin < 0 ? -1 : text.indexOf(closing, begin);
        if (end < 0)
            return made + text.mid(at);
        made += text.mid(at, begin - at);
        const QString name = text.mid(begin + 2, end - begin - 2).trimmed();
        const auto value = values.constFind(name);
        made += value == values.constEnd() ? text.mid(begin, end + 2 - begin) : escaped(*value, escaping);
        at = end + 2;
    }
}

QString templateProblem(const QString &text, const QStringList &names)
{
    qsizetype at = 0;
    for (;;) {
        const qsizetype begin = text.indexOf(opening, at);
        if (begin < 0)
            return {};
        const qsizetype end = text.indexOf(closing, begin);
        if (end < 0)
            return QStringLiteral("a {{ has no }}");
        const QString name = text.mid(begin + 2, end - begin - 2).trimmed();
        if (!names.contains(name))
            return QStringLiteral("{{%1}} is not known here; use {{%2}}")
                .arg(name, names.join(QLatin1String("}}, {{")));
        at = end + 2;
    }
}

} // namespace sendoff::channel
