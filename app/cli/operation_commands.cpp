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
                 QStringLiteral("BY"), QStringLiteral("FILTER")});
    for (const OperationRecord &row : *operations) {
        table.add({QString::number(row.id), row.verb, row.state, QString::number(row.done),
                   QString::number(row.skipped), QString::number(row.failed), cappedCount(row.expected),
                   toRfc3339(row.createdAt), row.actor, row.filter});
    }
    invocation.out().table(table);
    return ExitCode::Done;
}

Result<ExitCode> showOperation(Invocation &invocation, qint64 id, int limit)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto operation = (*console)->operation(id);
    if (!operation)
        return operation.error();
    const auto items = (*console)->operationItems(id, {}, limit);
    if (!items)
        return items.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().withAll(json(*operation)).with("items", jsonList(*items)));
        return ExitCode::Done;
    }
    printOperation(invocation.out(), *operation);
    Table table({QStringLiteral("DELIVERY"), QStringLiteral("RESULT"), QStringLiteral("DETAIL")});
    for (const OperationItemRecord &item : *items)
        table.add({item.delivery.value, item.result, item.detail});
    if (!table.isEmpty())
        invocation.out().table(table);
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

struct OperationOptions
{
    qint64 id = 0;
    int limit = 100;
};

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
                              [one](Invocation &invocation) { return showOperation(invocation, one->id, one->limit); });
    addId(show, one);
    show.add_option("--limit", one->limit, "Results at the most")->check(CLI::Range(1, 1000))->capture_default_str();

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
