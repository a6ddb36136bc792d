#include "app/cli/status_text.h"

#include "app/cli/table.h"

namespace sendoff::app {

namespace {

constexpr qsizetype screenWidth = 80;
constexpr qsizetype nameWidth = 14;

// "14:02" of a time within a day, else the date: a screen of 80 columns has no room for both.
QString shortTime(Timestamp time, Timestamp now)
{
    const QString text = toRfc3339(time);
    return std::chrono::abs(time - now) < std::chrono::hours(20) ? text.mid(11, 8) + u'Z' : text.left(10);
}

Table backlogTable(const StatusRecord &status)
{
    Table table({QStringLiteral("CHANNEL"), QStringLiteral("PROVIDER"), QStringLiteral("LANE"),
                 QStringLiteral("WAITING"), QStringLiteral("OLDEST"), QStringLiteral("SCHEDULED"),
                 QStringLiteral("FLIGHT"), QStringLiteral("HELD")});
    table.fitTo(screenWidth);
    for (const BacklogRecord &row : status.backlog) {
        table.add({toText(row.channel), elided(row.provider, nameWidth), toText(row.lane), cappedCount(row.waiting),
                   spokenAge(row.oldestAge), cappedCount(row.scheduled), cappedCount(row.inFlight),
                   cappedCount(row.held)});
    }
    return table;
}

Table pauseTable(const StatusRecord &status)
{
    Table table({QStringLiteral("PAUSED"), QStringLiteral("SINCE"), QStringLiteral("UNTIL"), QStringLiteral("BY"),
                 QStringLiteral("REASON")});
    table.fitTo(screenWidth);
    for (const PauseRecord &row : status.pauses) {
        table.add({(row.kind + u' ' + elided(row.name, nameWidth)).trimmed(), shortTime(row.since, status.now),
                   row.until ? shortTime(*row.until, status.now) : QStringLiteral("resumed"),
                   elided(row.actor, nameWidth), row.reason});
    }
    return table;
}

Table engineTable(const StatusRecord &status)
{
    Table table({QStringLiteral("ENGINE"), QStringLiteral("STATE"), QStringLiteral("HEARTBEAT"),
                 QStringLiteral("FLIGHT"), QStringLiteral("CLOCK"), QStringLiteral("PID"), QStringLiteral("VERSION"),
                 QStringLiteral("HOST")});
    table.fitTo(screenWidth);
    for (const EngineRecord &engine : status.engines) {
        table.add({elided(engine.name, nameWidth), engine.isAlive ? QStringLiteral("alive") : QStringLiteral("gone"),
                   QStringLiteral("%1 ago").arg(spokenAge(status.now - engine.heartbeatAt)),
                   QString::number(engine.inFlight), QStringLiteral("%1 ms").arg(engine.skew.count()),
                   QString::number(engine.pid), engine.version, engine.host});
    }
    return table;
}

void printCounts(Output &out, const StatusRecord &status)
{
    out.line(QStringLiteral("events      %1 pending, oldest %2; %3 rejected")
                 .arg(cappedCount(status.pendingEvents), spokenAge(status.oldestPendingAge),
                      cappedCount(status.rejectedEvents)));
    out.line(
        QStringLiteral("deliveries  %1 dead, %2 unknown").arg(cappedCount(status.dead), cappedCount(status.unknown)));
    out.line(QStringLiteral("operations  %1 open").arg(cappedCount(status.openOperations)));
}

} // namespace

QString providerState(const ProviderRecord &provider)
{
    if (provider.paused)
        return QStringLiteral("paused");
    if (provider.breaker != QLatin1String("closed"))
        return provider.breaker == QLatin1String("open") ? QStringLiteral("open") : QStringLiteral("half open");
    return provider.throttledUntil ? QStringLiteral("throttled") : QStringLiteral("ok");
}

QString providerDetail(const ProviderRecord &provider)
{
    const auto until = [](const std::optional<Timestamp> &time) {
        return time ? QStringLiteral("until %1").arg(toRfc3339(*time)) : QString();
    };
    if (provider.paused) {
        const QString time = provider.pausedUntil ? until(provider.pausedUntil) : QStringLiteral("until resumed");
        return (time + u' ' + provider.pauseReason).trimmed();
    }
    if (provider.breaker != QLatin1String("closed"))
        return (until(provider.breakerUntil) + u' ' + provider.breakerReason).trimmed();
    return until(provider.throttledUntil);
}

QString limitText(const ProviderRecord &provider)
{
    if (provider.overridePerSecond)
        return QStringLiteral("%1/s set").arg(spokenNumber(*provider.overridePerSecond));
    return provider.limitPerSecond > 0 ? QStringLiteral("%1/s").arg(spokenNumber(provider.limitPerSecond)) : QString();
}

void printProviders(Output &out, const std::vector<ProviderRecord> &providers)
{
    Table table({QStringLiteral("PROVIDER"), QStringLiteral("STATE"), QStringLiteral("LIMIT"), QStringLiteral("USE"),
                 QStringLiteral("429S"), QStringLiteral("FAILED"), QStringLiteral("FLIGHT"), QStringLiteral("DETAIL")});
    table.fitTo(screenWidth);
    for (const ProviderRecord &provider : providers) {
        table.add({elided(provider.name, nameWidth), providerState(provider), limitText(provider),
                   QStringLiteral("%1/s").arg(spokenNumber(provider.usedPerSecond)), cappedCount(provider.throttled),
                   cappedCount(provider.failed), cappedCount(provider.inFlight), providerDetail(provider)});
    }
    out.table(table);
}

void printStatus(Output &out, const StatusRecord &status)
{
    const QString head = QStringLiteral("%1  %2").arg(
        status.isHealthy ? QStringLiteral("healthy") : QStringLiteral("UNHEALTHY"), printable(status.verdict));
    for (const QString &line : wrapped(head, screenWidth))
        out.line(out.bold(line));
    out.line(QStringLiteral("%1  published set %2")
                 .arg(toRfc3339(status.now),
                      status.publishedSet ? QString::number(status.publishedSet) : QStringLiteral("none")));
    out.line();
    printCounts(out, status);
    const auto print = [&](const Table &table) {
        if (table.isEmpty())
            return;
        out.line();
        out.table(table);
    };
    print(backlogTable(status));
    if (!status.providers.empty()) {
        out.line();
        printProviders(out, status.providers);
    }
    print(pauseTable(status));
    print(engineTable(status));
    if (status.engines.empty()) {
        out.line();
        out.line(QStringLiteral("no engine is alive; start one with `sendoffd run`"));
    }
}

} // namespace sendoff::app
