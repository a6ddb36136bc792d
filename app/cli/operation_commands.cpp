#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/operation_text.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"

namespace sendoff::app {

namespace {

Result<ExitCode> listOperations(Invocation &invocation, int limit)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto operations = (*console)->operations(limit);
    if (!operations)
        return operations.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().with("operations", jsonList(*operations)));
        return ExitCode::Done;
    }
    Table table({QStringLiteral("OPERATION"), QStringLiteral("VERB"), QStringLiteral("STATE"), QStringLiteral("DONE"),
                 QStringLiteral("SKIPPED"), QStringLiteral("FAILED"), QStringLiteral("OF"), QStringLiteral("ORDERED"),
                 QStringLiteral("BY"), QStringLiteral("WHAT")});
    for (const OperationRecord &row : *operations) {
        table.add({QString::number(row.id), row.verb,
                   row.isPaused && !isEnded(row) ? QStringLiteral("paused") : row.state, QString::number(row.done),
                   QString::number(row.skipped), QString::number(row.failed), wholeNumber(row.expected),
                   toRfc3339(row.createdAt), row.actor, targetOf(row)});
    }
    invocation.out().table(table);
    return ExitCode::Done;
}

struct OperationOptions
{
    qint64 id = 0;
    int limit = 100;
    std::string result;
    std::string rate;
    bool isPaused = false;
    bool isContinued = false;
};

Result<OperationRecord> changed(admin::Console &console, const OperationOptions &options)
{
    if (options.isPaused || options.isContinued)
        return console.pauseOperation(options.id, options.isPaused);
    const auto rate = readRate(QStringLiteral("--rate"), options.rate);
    if (!rate)
        return rate.error();
    return console.setOperationRate(options.id, *rate);
}

Result<ExitCode> changeOperation(Invocation &invocation, const OperationOptions &options)
{
    if (!options.rate.empty()) {
        // Before the store is asked: a wrong word is a wrong word with or without it.
        if (const auto rate = readRate(QStringLiteral("--rate"), options.rate); !rate)
            return rate.error();
    }
    auto console = invocation.openConsole(store::Access::ReadWrite);
    if (!console)
        return console.error();
    const auto operation = changed(**console, options);
    if (!operation)
        return operation.error();
    if (invocation.isJson())
        invocation.out().document(json(*operation));
    else
        printOperation(invocation.out(), *operation);
    return ExitCode::Done;
}

void printItems(Output &out, const std::vector<OperationItemRecord> &items)
{
    Table table({QStringLiteral("DELIVERY"), QStringLiteral("RESULT"), QStringLiteral("OUTCOME"), QStringLiteral("AT"),
                 QStringLiteral("DETAIL")});
    for (const OperationItemRecord &item : items)
        table.add({item.delivery.value, item.result, item.outcome, toRfc3339(item.at), item.detail});
    if (table.isEmpty())
        return;
    out.line();
    out.table(table);
}

Result<ExitCode> showOperation(Invocation &invocation, const OperationOptions &options)
{
    const QString result = QString::fromStdString(options.result);
    static const QStringList results{QStringLiteral("failed"), QStringLiteral("skipped"), QStringLiteral("done")};
    if (!result.isEmpty() && !results.contains(result))
        return invalid(QStringLiteral("--result is no result of a delivery; use failed, skipped or done"));
    if (options.isPaused || options.isContinued || !options.rate.empty())
        return changeOperation(invocation, options);
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto operation = (*console)->operation(options.id);
    if (!operation)
        return operation.error();
    const auto items = (*console)->operationItems(options.id, result, options.limit);
    if (!items)
        return items.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().withAll(json(*operation)).with("items", jsonList(*items)));
        return ExitCode::Done;
    }
    printOperation(invocation.out(), *operation);
    printItems(invocation.out(), *items);
    return ExitCode::Done;
}

Result<ExitCode> end(Invocation &invocation, qint64 id, Result<OperationRecord> (admin::Console::*verb)(qint64))
{
    auto console = invocation.openConsole(store::Access::ReadWrite);
    if (!console)
        return console.error();
    const auto operation = (console->get()->*verb)(id);
    if (!operation)
        return operation.error();
    if (invocation.isJson())
        invocation.out().document(json(*operation));
    else
        printOperation(invocation.out(), *operation);
    return ExitCode::Done;
}

} // namespace

void addOperationCommands(CommandLine &line)
{
    const auto addId = [](CLI::App &command, const std::shared_ptr<OperationOptions> &options) {
        command.add_option("id", options->id, "Operation id")->required()->check(CLI::PositiveNumber);
    };
    auto list = std::make_shared<OperationOptions>();
    line.add("operations", "What people ordered, newest first",
             [list](Invocation &invocation) { return listOperations(invocation, list->limit); })
        .add_option("--limit", list->limit, "Rows at the most")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();

    auto one = std::make_shared<OperationOptions>();
    CLI::App &show = line.add("operation", "One operation with its progress and the result of each delivery",
                              [one](Invocation &invocation) { return showOperation(invocation, *one); });
    addId(show, one);
    show.add_option("--result", one->result, "Only these results: failed (again), skipped or done")
        ->option_text("WORD");
    show.add_option("--limit", one->limit, "Results at the most")->check(CLI::Range(1, 1000))->capture_default_str();
    CLI::Option *pause = show.add_flag("--pause", one->isPaused, "Pause it; it keeps its place");
    CLI::Option *resume = show.add_flag("--continue", one->isContinued, "Let it go on");
    CLI::Option *rate = show.add_option("--rate", one->rate, "Give it another speed")->option_text("N/s");
    pause->excludes(resume)->excludes(rate);
    resume->excludes(rate);

    auto undone = std::make_shared<OperationOptions>();
    addId(line.add("undo", "Take back an operation that has not begun",
                   [undone](Invocation &invocation) { return end(invocation, undone->id, &admin::Console::undo); }),
          undone);
    auto stopped = std::make_shared<OperationOptions>();
    addId(line.add("stop", "Stop an operation; what it has done stays done",
                   [stopped](Invocation &invocation) { return end(invocation, stopped->id, &admin::Console::stop); }),
          stopped);
}

} // namespace sendoff::app
