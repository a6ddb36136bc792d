#include "admin/store_console.h"
#include "app/catalogue_file.h"
#include "app/cli/command_line.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "store/published_sets.h"

namespace sendoff::app {

namespace {

struct PublishOptions
{
    std::string note;
    bool isRevert = false;
    bool isShow = false;
};

constexpr int shownPublications = 20;

JsonValue json(const store::PublishedSetRow &row)
{
    return JsonObject()
        .with("id", row.id)
        .with("hash", row.hash)
        .with("actor", row.actor)
        .with("note", row.note)
        .with("published_at", row.publishedAt);
}

Result<ExitCode> showPublications(Invocation &invocation)
{
    auto database = invocation.openStore(store::Access::ReadOnly);
    if (!database)
        return database.error();
    const auto rows = store::publications(**database, shownPublications);
    if (!rows)
        return rows.error();
    if (invocation.isJson()) {
        std::vector<JsonValue> items;
        for (const store::PublishedSetRow &row : *rows)
            items.push_back(json(row));
        invocation.out().document(JsonObject()
                                      .with("current", rows->empty() ? JsonValue() : json(rows->front()))
                                      .with("publications", JsonValue::array(std::move(items))));
        return ExitCode::Done;
    }
    if (rows->empty())
        invocation.out().line(QStringLiteral("nothing is published yet; `sendoffd publish` does it"));
    Table table({QStringLiteral("SET"), QStringLiteral("PUBLISHED"), QStringLiteral("BY"), QStringLiteral("HASH"),
                 QStringLiteral("NOTE")});
    for (const store::PublishedSetRow &row : *rows)
        table.add({QString::number(row.id), toRfc3339(row.publishedAt), row.actor, row.hash.left(12), row.note});
    if (!table.isEmpty())
        invocation.out().table(table);
    return ExitCode::Done;
}

Result<store::PublishedSetRow> change(Invocation &invocation, store::Database &database, const PublishOptions &options)
{
    const QString note = QString::fromStdString(options.note);
    if (options.isRevert)
        return store::revertPublication(database, admin::defaultActor(), note);
    const auto configuration = invocation.configuration();
    if (!configuration)
        return configuration.error();
    const CataloguePaths &paths = (*configuration)->catalogue;
    const Loaded<PublishedSet> set = loadPublishedSet(paths.catalogue, paths.templates);
    if (!set.ok())
        return Error{ErrorCode::Invalid, linesOf(set.problems)};
    if (!set.problems.empty())
        complain(linesOf(set.problems));
    return store::publish(database, set.value, admin::defaultActor(), note);
}

Result<ExitCode> publish(Invocation &invocation, const PublishOptions &options)
{
    if (options.isShow)
        return showPublications(invocation);
    auto database = invocation.openStore(store::Access::ReadWrite);
    if (!database)
        return database.error();
    const auto before = store::currentPublishedSet(**database);
    if (!before)
        return before.error();
    const auto row = change(invocation, **database, options);
    if (!row)
        return row.error();
    const bool isChanged = row->id != *before;
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().withAll(json(*row)).with("changed", isChanged));
    } else {
        invocation.out().line(isChanged
                                  ? QStringLiteral("published as set %1 (%2)").arg(row->id).arg(row->hash.left(12))
                                  : QStringLiteral("set %1 is published already; nothing was changed").arg(row->id));
    }
    return ExitCode::Done;
}

} // namespace

void addPublishCommands(CommandLine &line)
{
    auto options = std::make_shared<PublishOptions>();
    CLI::App &command =
        line.add("publish", "Check catalogue and templates and store them as the approved set that all engines use",
                 [options](Invocation &invocation) { return publish(invocation, *options); });
    CLI::Option *note = command.add_option("--note", options->note, "Why, for the record")->option_text("TEXT");
    CLI::Option *revert = command.add_flag("--revert", options->isRevert, "Use the set before the current one again");
    command.add_flag("--show", options->isShow, "List what was published")->excludes(revert)->excludes(note);
}

} // namespace sendoff::app
