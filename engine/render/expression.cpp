#include "render/expression.h"

namespace sendoff::render {

namespace {

bool isNamePart(QStringView part)
{
    for (const QChar each : part) {
        const bool isWordCharacter = (each >= u'a' && each <= u'z') || (each >= u'A' && each <= u'Z') ||
                                     (each >= u'0' && each <= u'9') || each == u'_' || each == u'-';
        if (!isWordCharacter)
            return false;
    }
    return !part.isEmpty();
}

Error invalid(const QString &message)
{
    return {ErrorCode::Invalid, message};
}

Error applyFilter(Expression &expression, QStringView filter)
{
    const qsizetype colon = filter.indexOf(u':');
    const QStringView word = (colon < 0 ? filter : filter.left(colon)).trimmed();
    if (word == u"or") {
        if (colon < 0)
            return invalid(QStringLiteral("filter or needs its default: write |or:text"));
        if (expression.fallback)
            return invalid(QStringLiteral("filter or stands twice; keep one"));
        expression.fallback = filter.mid(colon + 1).trimmed().toString();
        return {};
    }
    Format format = Format::None;
    Encoding encoding = Encoding::None;
    if (word == u"date")
        format = Format::Date;
    else if (word == u"time")
        format = Format::Time;
    else if (word == u"datetime")
        format = Format::DateTime;
    else if (word == u"money")
        format = Format::Money;
    else if (word == u"url")
        encoding = Encoding::Url;
    else if (word == u"json")
        encoding = Encoding::Json;
    else
        return invalid(QStringLiteral("unknown filter %1; there are or, date, time, datetime, money, url, json")
                           .arg(word.left(40).toString()));
    if (colon >= 0)
        return invalid(QStringLiteral("filter %1 takes no argument; remove it").arg(word.toString()));
    if ((format != Format::None && expression.format != Format::None) ||
        (encoding != Encoding::None && expression.encoding != Encoding::None))
        return invalid(QStringLiteral("filter %1 follows another of its kind; keep one").arg(word.toString()));
    if (format != Format::None)
        expression.format = format;
    else
        expression.encoding = encoding;
    return {};
}

} // namespace

Result<QStringList> parseName(QStringView text)
{
    const QStringView name = text.trimmed();
    if (name == u".")
        return QStringList{QStringLiteral(".")};
    QStringList path;
    for (const QStringView part : name.split(u'.')) {
        if (!isNamePart(part))
            return invalid(name.isEmpty()
                               ? QStringLiteral("a tag without a name; write {{name}}")
                               : QStringLiteral("\"%1\" is not a name; use letters, digits, _ and - with dots between")
                                     .arg(name.left(40).toString().simplified()));
        path += part.toString();
    }
    return path;
}

Result<Expression> parseExpression(QStringView text)
{
    const QList<QStringView> parts = text.split(u'|');
    Result<QStringList> path = parseName(parts.first());
    if (!path)
        return path.error();
    Expression expression;
    expression.path = *path;
    for (const QStringView filter : parts.mid(1)) {
        const Error error = applyFilter(expression, filter);
        if (!error.message.isEmpty())
            return error;
    }
    return expression;
}

} // namespace sendoff::render
