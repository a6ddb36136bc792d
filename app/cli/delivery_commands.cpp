#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/filter_flags.h"
#include "app/cli/record_json.h"
#include "app/cli/story_text.h"
#include "app/cli/table.h"

#include <QDeadlineTimer>

namespace sendoff::app {

namespace {

struct ListOptions
{
    FilterFlags filter;
    int limit = 50;
    std::string after;
    std::string sort = "newest";
};

constexpr Milliseconds lookPatience{20'000}; // for rows that match rarely

// A page of the store may be short and still have a next one: pages are put together until the limit is full, the
// list ends or the patience does.
Result<DeliveryPage> gathered(admin::Console &console, const Filter &filter, DeliverySort sort, QString after,
                              int limit)
{
    const QDeadlineTimer deadline(lookPatience);
    DeliveryPage all;
    for (;;) {
        auto page = console.deliveries(filter, sort, after, limit - int(all.rows.size()));
        if (!page)
            return page;
        std::move(page->rows.begin(), page->rows.end(), std::back_inserter(all.rows));
        all.next = after = page->next;
        if (all.next.isEmpty() || int(all.rows.size()) >= limit)
            return all;
        if (deadline.hasExpired()) {
            complain(QStringLiteral("looked for %1 s without coming to the end; --after %2 looks on")
                         .arg(QString::number(lookPatience.count() / 1'000), all.next));
            return all;
        }
    }
}

void printDeliveries(Output &out, const DeliveryPage &page)
{
    Table table({QStringLiteral("DELIVERY"), QStringLiteral("STATE"), QStringLiteral("CHANNEL"), QStringLiteral("TO"),
                 QStringLiteral("TYPE"), QStringLiteral("TRIES"), QStringLiteral("CODE"), QStringLiteral("CREATED"),
                 QStringLiteral("REASON")});
    for (const DeliveryRecord &row : page.rows) {
        table.add({row.id.value, toText(row.state), toText(row.channel),
                   row.user.isEmpty() ? row.addressMask : row.user.value, row.type, QString::number(row.attempts),
                   row.lastCode, toRfc3339(row.createdAt),
                   row.reason == Reason::None ? QString() : toText(row.reason)});
    }
    out.table(table);
    if (!page.next.isEmpty())
        out.line(QStringLiteral("more: --after %1").arg(page.next));
}

Result<ExitCode> listDeliveries(Invocation &invocation, const ListOptions &options)
{
    const auto filter = options.filter.filter();
    if (!filter)
        return filter.error();
    const auto sort = fromText<DeliverySort>(QString::fromStdString(options.sort));
    if (!sort)
        return invalid(QStringLiteral("--sort is no order; use newest, oldest, due or ended"));
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto page = gathered(**console, *filter, *sort, QString::fromStdString(options.after), options.limit);
    if (!page)
        return page.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject()
                                      .with("deliveries", jsonList(page->rows))
                                      .with("next", page->next.isEmpty() ? JsonValue() : json(page->next)));
    } else {
        printDeliveries(invocation.out(), *page);
    }
    return ExitCode::Done;
}

template <typename Story>
ExitCode show(Invocation &invocation, const Story &story)
{
    if (invocation.isJson())
        invocation.out().document(json(story));
    else
        printStory(invocation.out(), story);
    return ExitCode::Done;
}

Result<ExitCode> showEvent(Invocation &invocation, const std::string &id)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto story = (*console)->eventStory(EventId(QString::fromStdString(id)));
    if (!story)
        return story.error();
    return show(invocation, *story);
}

Result<ExitCode> showDelivery(Invocation &invocation, const std::string &id)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto story = (*console)->story(DeliveryId(QString::fromStdString(id)));
    if (!story)
        return story.error();
    return show(invocation, *story);
}

} // namespace

void addDeliveryCommands(CommandLine &line)
{
    auto list = std::make_shared<ListOptions>();
    CLI::App &command = line.add("list", "Deliveries, newest first",
                                 [list](Invocation &invocation) { return listDeliveries(invocation, *list); });
    command.add_option("--sort", list->sort, "newest, oldest, due (waiting ones) or ended")
        ->option_text("WORD")
        ->capture_default_str();
    command.add_option("--limit", list->limit, "Rows at the most")->check(CLI::Range(1, 1000))->capture_default_str();
    command.add_option("--after", list->after, "Cursor of the page before");
    list->filter.addTo(command, freeFilterFields(command));

    CLI::App &group = line.addGroup("show", "One event or delivery with all that happened to it");
    auto event = std::make_shared<std::string>();
    line.add(group, "event", "An event and what became of its deliveries",
             [event](Invocation &invocation) { return showEvent(invocation, *event); })
        .add_option("id", *event, "Event id")
        ->required();
    auto delivery = std::make_shared<std::string>();
    line.add(group, "delivery", "A delivery with its attempts, receipts and operations",
             [delivery](Invocation &invocation) { return showDelivery(invocation, *delivery); })
        .add_option("id", *delivery, "Delivery id")
        ->required();
}

} // namespace sendoff::app
