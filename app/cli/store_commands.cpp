#include "app/cli/command_line.h"
#include "app/cli/json.h"
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
    line.add("version", "Versions of program and store", version);
}

} // namespace sendoff::app
