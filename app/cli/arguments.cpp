#include "app/cli/arguments.h"

#include <QFile>
#include <QRegularExpression>
#include <cmath>

namespace sendoff::app {

namespace {

constexpr int maxRowsPerSecond = 1'000;
constexpr double maxPerSecond = 1'000'000;

// "5/s" without its unit.
QString withoutUnit(const std::string &text, QLatin1String unit)
{
    QString written = QString::fromStdString(text).trimmed();
    if (written.endsWith(unit))
        written.chop(unit.size());
    return written;
}

} // namespace

Error invalid(const QString &message)
{
    return {ErrorCode::Invalid, message};
}

Result<Milliseconds> readDuration(const QString &flag, const std::string &text)
{
    const auto duration = parseDuration(QString::fromStdString(text));
    if (!duration || duration->count() <= 0)
        return invalid(QStringLiteral("%1 is not a duration; write 30s, 15m, 1h or 7d").arg(flag));
    return *duration;
}

Result<std::optional<Timestamp>> readTime(const QString &flag, const std::string &text)
{
    if (text.empty())
        return std::optional<Timestamp>();
    const QString written = QString::fromStdString(text);
    std::optional<Timestamp> time = fromRfc3339(written);
    if (written.startsWith(u'+')) {
        if (const auto later = parseDuration(QStringView(written).mid(1)))
            time = SystemClock().now() + *later;
    }
    if (!time)
        return invalid(QStringLiteral("%1 is not a time; write 2026-11-30T12:00:00Z, or +15m from now").arg(flag));
    return time;
}

Result<int> readRate(const QString &flag, const std::string &text)
{
    bool isNumber = false;
    const int rate = withoutUnit(text, QLatin1String("/s")).toInt(&isNumber);
    if (!isNumber || rate < 1 || rate > maxRowsPerSecond) {
        return invalid(QStringLiteral("%1 is no rate; write whole rows a second from 1/s to %2/s, as in 5/s")
                           .arg(flag, QString::number(maxRowsPerSecond)));
    }
    return rate;
}

Result<double> readPerSecond(const QString &flag, const std::string &text)
{
    bool isNumber = false;
    const double rate = withoutUnit(text, QLatin1String("/s")).toDouble(&isNumber);
    if (!isNumber || !std::isfinite(rate) || rate <= 0 || rate > maxPerSecond)
        return invalid(QStringLiteral("%1 is no rate; write requests a second above 0, as in 5/s or 0.5/s").arg(flag));
    return rate;
}

Result<int> readPercent(const QString &flag, const std::string &text)
{
    bool isNumber = false;
    const int percent = withoutUnit(text, QLatin1String("%")).toInt(&isNumber);
    if (!isNumber || percent < 1 || percent > 100)
        return invalid(QStringLiteral("%1 is no percentage; write whole percent from 1% to 100%, as in 20%").arg(flag));
    return percent;
}

Result<QByteArray> readFile(const QString &flag, const QString &from, qint64 limit)
{
    QFile file(from);
    const bool isOpen =
        from == QLatin1String("-") ? file.open(stdin, QIODevice::ReadOnly) : file.open(QIODevice::ReadOnly);
    if (!isOpen)
        return invalid(QStringLiteral("%1 %2 can't be read: %3").arg(flag, from, file.errorString()));
    QByteArray content;
    while (content.size() <= limit) {
        const QByteArray part = file.read(limit + 1 - content.size());
        if (part.isEmpty())
            break;
        content += part;
    }
    if (file.error() != QFileDevice::NoError)
        return invalid(QStringLiteral("%1 %2 can't be read: %3").arg(flag, from, file.errorString()));
    return content;
}

QString shellQuoted(const QString &word)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=@%+,-]+$"));
    if (plain.match(word).hasMatch())
        return word;
    return u'\'' + QString(word).replace(QLatin1String("'"), QLatin1String("'\\''")) + u'\'';
}

} // namespace sendoff::app
