#include "domain/clock.h"

#include <QDateTime>
#include <QTimeZone>
#include <array>

namespace sendoff {

Timestamp SystemClock::now() const
{
    return std::chrono::time_point_cast<Milliseconds>(std::chrono::system_clock::now());
}

std::chrono::steady_clock::duration SystemClock::ticks() const
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

QString toRfc3339(Timestamp time)
{
    return QDateTime::fromMSecsSinceEpoch(time.time_since_epoch().count(), Qt::UTC).toString(Qt::ISODateWithMs);
}

std::optional<Timestamp> fromRfc3339(QStringView text)
{
    // Qt takes a text without a time or an offset as local time: that is no instant for us.
    if (text.size() < 20 || (text[10] != u'T' && text[10] != u't'))
        return std::nullopt;
    const bool hasOffset = text.endsWith(u'Z') || text.endsWith(u'z') ||
                           (text.size() > 6 && (text[text.size() - 6] == u'+' || text[text.size() - 6] == u'-'));
    if (!hasOffset)
        return std::nullopt;
    const QDateTime parsed = QDateTime::fromString(text.toString(), Qt::ISODateWithMs);
    if (!parsed.isValid())
        return std::nullopt;
    return Timestamp(Milliseconds(parsed.toMSecsSinceEpoch()));
}

namespace {
struct Unit
{
    QLatin1String suffix;
    qint64 milliseconds;
};
// Longest first, so that formatting takes the largest exact unit and "ms" is tried before "s" when reading.
constexpr qint64 second = 1000;
const std::array<Unit, 5> units{{{QLatin1String("d"), 86400 * second},
                                 {QLatin1String("h"), 3600 * second},
                                 {QLatin1String("m"), 60 * second},
                                 {QLatin1String("ms"), 1},
                                 {QLatin1String("s"), second}}};
} // namespace

std::optional<Milliseconds> parseDuration(QStringView text)
{
    constexpr qint64 tenYears = 3650LL * 86400 * second;
    text = text.trimmed();
    for (const Unit &unit : units) {
        if (!text.endsWith(unit.suffix))
            continue;
        bool isNumber = false;
        const qint64 count = text.chopped(unit.suffix.size()).toLongLong(&isNumber);
        if (!isNumber)
            continue;
        if (count < 0 || count > tenYears / unit.milliseconds)
            return std::nullopt;
        return Milliseconds(count * unit.milliseconds);
    }
    return std::nullopt;
}

QString formatDuration(Milliseconds duration)
{
    for (const Unit &unit : {units[0], units[1], units[2], units[4]}) {
        if (duration.count() != 0 && duration.count() % unit.milliseconds == 0)
            return QString::number(duration.count() / unit.milliseconds) + unit.suffix;
    }
    return QString::number(duration.count()) + QStringLiteral("ms");
}

} // namespace sendoff
