#include "app/cli/command_line.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"
#include "store/migrator.h"

namespace sendoff::app {

namespace {

Result<ExitCode> migrateStore(Invocation &invocation)
{
    auto database = invocation.openAnyStore(store::Access::ReadWrite, true);
    if (!database)
        return database.error();
    const auto before = store::migrate(**database);
    if (!before)
        return before.error();
    const bool isChanged = before->schema < store::schemaNumber;
    if (invocation.isJson()) {
        invocation.out().document(JsonObject()
                                      .with("from", before->schema)
                                      .with("to", std::max(before->schema, store::schemaNumber))
                                      .with("changed", isChanged));
    } else if (isChanged) {
        invocation.out().line(
            QStringLiteral("migrated from schema %1 to %2").arg(before->schema).arg(store::schemaNumber));
    } else {
        invocation.out().line(QStringLiteral("schema %1 is up to date").arg(before->schema));
    }
    return ExitCode::Done;
}

// ---- status --------------------------------------------------------------------------------------------------------

Table backlogTable(const StatusRecord &status)
{
    Table table({QStringLiteral("PROVIDER"), QStringLiteral("CHANNEL"), QStringLiteral("LANE"),
                 QStringLiteral("WAITING"), QStringLiteral("OLDEST"), QStringLiteral("LATER"),
                 QStringLiteral("IN FLIGHT"), QStringLiteral("HELD")});
    for (const BacklogRecord &row : status.backlog) {
        table.add({row.provider, toText(row.channel), toText(row.lane), cappedCount(row.waiting),
                   spokenAge(row.oldestAge), cappedCount(row.scheduled), QString::number(row.inFlight),
                   cappedCount(row.held)});
    }
    return table;
}

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
    if (provider.paused)
        return (provider.pauseReason + u' ' + until(provider.pausedUntil)).trimmed();
    if (provider.breaker != QLatin1String("closed"))
        return (provider.breakerReason + u' ' + until(provider.breakerUntil)).trimmed();
    return until(provider.throttledUntil);
}

Table providerTable(const StatusRecord &status)
{
    Table table({QStringLiteral("PROVIDER"), QStringLiteral("KIND"), QStringLiteral("CHANNEL"), QStringLiteral("LIMIT"),
                 QStringLiteral("STATE"), QStringLiteral("DETAIL")});
    for (const ProviderRecord &provider : status.providers) {
        table.add({provider.name, provider.kind, toText(provider.channel),
                   provider.limitPerSecond > 0 ? QStringLiteral("%1/s").arg(provider.limitPerSecond) : QString(),
                   providerState(provider), providerDetail(provider)});
    }
    return table;
}

Table engineTable(const StatusRecord &status)
{
    Table table({QStringLiteral("ENGINE"), QStringLiteral("HOST"), QStringLiteral("PID"), QStringLiteral("VERSION"),
                 QStringLiteral("STATE"), QStringLiteral("HEARTBEAT"), QStringLiteral("IN FLIGHT"),
                 QStringLiteral("CLOCK")});
    for (const EngineRecord &engine : status.engines) {
        table.add({engine.name, engine.host, QString::number(engine.pid), engine.version,
                   engine.isAlive ? QStringLiteral("alive") : QStringLiteral("gone"),
                   QStringLiteral("%1 ago").arg(spokenAge(status.now - engine.heartbeatAt)),
                   QString::number(engine.inFlight), QStringLiteral("%1 ms").arg(engine.skew.count())});
    }
    return table;
}

void printStatus(Output &out, const StatusRecord &status)
{
    out.line(out.bold(QStringLiteral("%1  %2").arg(
        status.isHealthy ? QStringLiteral("healthy") : QStringLiteral("UNHEALTHY"), printable(status.verdict))));
    out.line(QStringLiteral("%1  published set %2")
                 .arg(toRfc3339(status.now),
                      status.publishedSet ? QString::number(status.publishedSet) : QStringLiteral("none")));
    out.line();
    out.line(QStringLiteral("events      %1 pending, oldest %2; %3 rejected")
                 .arg(cappedCount(status.pendingEvents), spokenAge(status.oldestPendingAge),
                      cappedCount(status.rejectedEvents)));
    out.line(
        QStringLiteral("deliveries  %1 dead, %2 unknown").arg(cappedCount(status.dead), cappedCount(status.unknown)));
    for (const Table &table : {backlogTable(status), providerTable(status), engineTable(status)}) {
        if (table.isEmpty())
            continue;
        out.line();
        out.table(table);
    }
    if (status.engines.empty()) {
        out.line();
        out.line(QStringLiteral("no engine is alive; start one with `sendoffd run`"));
    }
}

Result<ExitCode> status(Invocation &invocation)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto record = (*console)->status();
    if (!record)
        return record.error();
    if (invocation.isJson())
        invocation.out().document(json(*record));
    else
        printStatus(invocation.out(), *record);
    return record->isHealthy ? ExitCode::Done : ExitCode::Failed;
}

// ---- version -------------------------------------------------------------------------------------------------------

// What can be said of the store without changing it. A version is asked for where things are broken, so a store that
// does not answer is a finding and no failure.
JsonValue storeVersion(Invocation &invocation)
{
    const auto where = invocation.storeAccess();
    if (!where)
        return {};
    JsonObject object;
    object.with("url", where->url.toText());
    auto database = invocation.openAnyStore(store::Access::ReadOnly, false);
    if (!database)
        return object.with("schema", JsonValue()).with("problem", database.error().message);
    const auto schema = store::schemaVersion(**database);
    if (!schema)
        return object.with("schema", JsonValue()).with("problem", schema.error().message);
    return object.with("schema", schema->schema)
        .with("min_reader", schema->minReader)
        .with("min_writer", schema->minWriter);
}

Result<ExitCode> version(Invocation &invocation)
{
    const JsonValue store = storeVersion(invocation);
    if (invocation.isJson()) {
        invocation.out().document(JsonObject()
                                      .with("version", QStringLiteral(SENDOFF_VERSION))
                                      .with("schema", store::schemaNumber)
                                      .with("qt", QString::fromLatin1(qVersion()))
                                      .with("store", store));
        return ExitCode::Done;
    }
    invocation.out().line(QStringLiteral("sendoffd %1, store schema %2, Qt %3")
                              .arg(QStringLiteral(SENDOFF_VERSION))
                              .arg(store::schemaNumber)
                              .arg(QString::fromLatin1(qVersion())));
    if (const JsonValue *url = store.member(u"url")) {
        const JsonValue *problem = store.member(u"problem");
        invocation.out().line(
            printable(problem ? problem->text()
                              : QStringLiteral("%1 has schema %2").arg(url->text(), store.member(u"schema")->text())));
    }
    return ExitCode::Done;
}

} // namespace

void addStoreCommands(CommandLine &line)
{
    line.add("migrate", "Bring the store up to date; safe to repeat", migrateStore);
    line.add("status", "One screen of the state of things; exits 1 when it is unhealthy", status);
    line.add("version", "Versions of program and store", version);
}

} // namespace sendoff::app
