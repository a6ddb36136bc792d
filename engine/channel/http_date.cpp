#include "channel/http_date.h"

#include <QDateTime>
#include <QRegularExpression>

namespace sendoff::channel {

namespace {

int monthNumber(const QString &name)
{
    static const QStringList names{QStringLiteral("jan"), QStringLiteral("feb"), QStringLiteral("mar"),
                                   QStringLiteral("apr"), QStringLiteral("may"), QStringLiteral("jun"),
                                   QStringLiteral("jul"), QStringLiteral("aug"), QStringLiteral("sep"),
                                   QStringLiteral("oct"), QStringLiteral("nov"), QStringLiteral("dec")};
    return int(names.indexOf(name.toLower())) + 1;
}

std::optional<Timestamp> timestamp(int year, const QRegularExpressionMatch &match)
{
    const QDate date(year, monthNumber(match.captured(QStringLiteral("month"))),
                     match.captured(QStringLiteral("day")).toInt());
    // A leap second has no place in Timestamp; the second before it is as good for waiting.
    const int second = std::min(match.captured(QStringLiteral("second")).toInt(), 59);
    const QTime time(match.captured(QStringLiteral("hour")).toInt(), match.captured(QStringLiteral("minute")).toInt(),
                     second);
    if (!date.isValid() || !time.isValid() || match.captured(QStringLiteral("second")).toInt() > 60)
        return std::nullopt;
    return Timestamp(Milliseconds(QDateTime(date, time, Qt::UTC).toMSecsSinceEpoch()));
}

int fullYear(int twoDigits, Timestamp now)
{
    const int thisYear = QDateTime::fromMSecsSinceEpoch(now.time_since_epoch().count(), Qt::UTC).date().year();
    int year = thisYear - thisYear % 100 + twoDigits;
    if (year > thisYear + 50)
        year -= 100;
    return year;
}

} // namespace

std::optional<Timestamp> parseHttpDate(const QByteArray &text, Timestamp now)
{
    static const QString clockTime = QStringLiteral("(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)");
    static const QRegularExpression fixed(
        QStringLiteral("^[A-Za-z]{3}, (?<day>\\d\\d?) (?<month>[A-Za-z]{3}) (?<year>\\d{4}) %1 GMT$").arg(clockTime));
    static const QRegularExpression rfc850(
        QStringLiteral("^[A-Za-z]{6,9}, (?<day>\\d\\d)-(?<month>[A-Za-z]{3})-(?<year>\\d\\d) %1 GMT$").arg(clockTime));
    static const QRegularExpression asctime(
        QStringLiteral("^[A-Za-z]{3} (?<month>[A-Za-z]{3}) (?<day>[ \\d]\\d) %1 (?<year>\\d{4})$").arg(clockTime));

    const QString trimmed = QString::fromLatin1(text.trimmed());
    for (const QRegularExpression *form : {&fixed, &rfc850, &asctime}) {
        const QRegularExpressionMatch match = form->match(trimmed);
        if (!match.hasMatch())
            continue;
        const int year = match.captured(QStringLiteral("year")).toInt();
        return timestamp(form == &rfc850 ? fullYear(year, now) : year, match);
    }
    return std::nullopt;
}

} // namespace sendoff::channel
