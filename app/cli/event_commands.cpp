#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/filter_flags.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"
#include "store/outbox.h"

namespace sendoff::app {

namespace {

struct EmitOptions
{
    std::string type;
    std::string payload;
    std::optional<std::string> id;
    std::string tenant;
    std::string at;
    std::string expires;
    std::string lane;
    std::string supersedes;
};

Result<store::NewEvent> newEvent(const EmitOptions &options)
{
    store::NewEvent event;
    event.type = QString::fromStdString(options.type);
    event.tenant = QString::fromStdString(options.tenant);
    event.supersedesKey = QString::fromStdString(options.supersedes);
    if (options.id) {
        event.id = QString::fromStdString(*options.id);
        if (event.id.isEmpty())
            return invalid(QStringLiteral("--id is empty; leave it out and the store gives one"));
    }
    if (!options.lane.empty()) {
        event.lane = fromText<Lane>(QString::fromStdString(options.lane));
        if (!event.lane)
            return invalid(QStringLiteral("--lane is no lane; use urgent, normal or bulk"));
    }
    const auto available = readTime(QStringLiteral("--at"), options.at);
    if (!available)
        return available.error();
    const auto expires = readTime(QStringLiteral("--expires"), options.expires);
    if (!expires)
        return expires.error();
    event.availableAt = *available;
    event.expiresAt = *expires;
    Result<QByteArray> payload =
        readFile(QStringLiteral("--payload"), QString::fromStdString(options.payload), maxPayloadBytes);
    if (!payload)
        return payload.error();
    event.payload = std::move(*payload);
    return event;
}

Result<ExitCode> emitEvent(Invocation &invocation, const EmitOptions &options)
{
    const auto event = newEvent(options);
    if (!event)
        return event.error();
    auto database = invocation.openStore(store::Access::ReadWrite);
    if (!database)
        return database.error();
    const auto appended = store::appendEvent(**database, *event);
    if (!appended)
        return appended.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().with("id", appended->id).with("already", appended->wasThere));
    } else {
        invocation.out().line(appended->id.value);
        if (appended->wasThere)
            complain(QStringLiteral("already accepted: an event with this id is there, nothing was changed"));
    }
    return ExitCode::Done;
}

struct EventListOptions
{
    FilterFlags filter;
    int limit = 50;
    std::string after;
};

void printEvents(Output &out, const std::vector<EventRecord> &events, const QString &next)
{
    Table table({QStringLiteral("EVENT"), QStringLiteral("TYPE"), QStringLiteral("TENANT"), QStringLiteral("STATE"),
                 QStringLiteral("RECORDED"), QStringLiteral("REASON")});
    for (const EventRecord &event : events) {
        table.add(
            {event.id.value, event.type, event.tenant, toText(event.state), toRfc3339(event.recordedAt), event.reason});
    }
    out.table(table);
    if (!next.isEmpty())
        out.line(QStringLiteral("more: --after %1").arg(next));
}

Result<ExitCode> listEvents(Invocation &invocation, const EventListOptions &options)
{
    const auto filter = options.filter.filter(FilterRows::Events);
    if (!filter)
        return filter.error();
    bool isNumber = true;
    const qint64 before = options.after.empty() ? 0 : QString::fromStdString(options.after).toLongLong(&isNumber);
    if (!isNumber || before < 0)
        return invalid(QStringLiteral("--after is no cursor; take the one that the page before printed"));
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto events = (*console)->events(*filter, before, options.limit);
    if (!events)
        return events.error();
    const bool isFull = int(events->size()) == options.limit;
    const QString next = isFull ? QString::number(events->back().sequence) : QString();
    if (invocation.isJson()) {
        invocation.out().document(
            JsonObject().with("events", jsonList(*events)).with("next", next.isEmpty() ? JsonValue() : json(next)));
    } else {
        printEvents(invocation.out(), *events, next);
    }
    return ExitCode::Done;
}

} // namespace

void addEventCommands(CommandLine &line)
{
    auto emission = std::make_shared<EmitOptions>();
    CLI::App &append = line.add("emit", "Append an event and print its id",
                                [emission](Invocation &invocation) { return emitEvent(invocation, *emission); });
    append.add_option("type", emission->type, "Event type, e.g. booking.confirmed")->required();
    append.add_option("--payload", emission->payload, "File with a JSON object, - for standard input")
        ->required()
        ->option_text("FILE|-");
    append.add_option("--id", emission->id, "Event id; the same id again changes nothing");
    append.add_option("--tenant", emission->tenant, "Tenant");
    append.add_option("--at", emission->at, "Not before this time (RFC 3339, or +15m)");
    append.add_option("--expires", emission->expires, "Not after this time (RFC 3339, or +1h)");
    append.add_option("--lane", emission->lane, "urgent, normal or bulk instead of the catalogue's");
    append.add_option("--supersedes", emission->supersedes,
                      "Key: a later event with the same one cancels what is unsent of earlier ones");

    auto list = std::make_shared<EventListOptions>();
    CLI::App &events = line.add("events", "Events, newest first",
                                [list](Invocation &invocation) { return listEvents(invocation, *list); });
    list->filter.addTo(events, {QStringLiteral("event"), QStringLiteral("type"), QStringLiteral("tenant"),
                                QStringLiteral("state"), QStringLiteral("age")});
    events.add_option("--limit", list->limit, "Rows at the most")->check(CLI::Range(1, 1000))->capture_default_str();
    events.add_option("--after", list->after, "Cursor of the page before");
}

} // namespace sendoff::app
