#include "admin/store_console.h"
#include "app/cli/command_line.h"
#include "app/cli/filter_flags.h"
#include "app/cli/operation_text.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"

#include <QDeadlineTimer>
#include <QThread>

namespace sendoff::app {

namespace {

struct ChangeOptions
{
    QString verb;
    FilterFlags filter;
    std::vector<std::string> ids;
    std::string reason;
    std::string wait;
    std::string rate;
    bool isPreview = false;
    bool isNow = false;
    bool ofEvents = false;
};

constexpr auto pollPause = std::chrono::milliseconds(200);

Error invalid(const QString &message)
{
    return {ErrorCode::Invalid, message};
}

Result<Filter> chosen(const ChangeOptions &options)
{
    if (!options.ids.empty() && options.filter.isGiven())
        return invalid(QStringLiteral("give either ids or a filter, not both"));
    if (options.ids.empty()) {
        Result<Filter> filter = options.filter.filter();
        if (filter && filter->isEmpty())
            return invalid(QStringLiteral("say which: ids, or a filter such as --state dead"));
        return filter;
    }
    QStringList ids;
    for (const std::string &id : options.ids)
        ids += QString::fromStdString(id);
    // Through the grammar, so that an id no filter may hold is refused like everywhere.
    return Filter::parse(filterOfIds(options.ofEvents ? QStringLiteral("event") : QStringLiteral("id"), ids).toText());
}

// "5/s" or "5": whole rows a second.
std::optional<int> readRate(const std::string &text)
{
    QString written = QString::fromStdString(text);
    if (written.endsWith(QLatin1String("/s")))
        written.chop(2);
    bool isNumber = false;
    const int rate = written.toInt(&isNumber);
    return isNumber && rate > 0 ? std::optional(rate) : std::nullopt;
}

Result<admin::OperationRequest> requestOf(const ChangeOptions &options)
{
    Result<Filter> filter = chosen(options);
    if (!filter)
        return filter.error();
    admin::OperationRequest request;
    request.verb = options.ofEvents ? QStringLiteral("retry_event") : options.verb;
    request.filter = std::move(*filter);
    request.reason = QString::fromStdString(options.reason);
    request.actor = admin::defaultActor();
    if (!options.rate.empty()) {
        const auto rate = readRate(options.rate);
        if (!rate)
            return invalid(QStringLiteral("--rate is no rate; write whole rows a second, as in 5/s"));
        request.rate = *rate;
    }
    if (options.isNow)
        request.armed = Milliseconds(0);
    return request;
}

// Why submitting it would be refused. The engine's rules have counted; here the answer is only worded.
std::optional<Error> obstacle(const admin::OperationRequest &request, const PreviewRecord &preview)
{
    if (preview.count == 0)
        return Error{ErrorCode::NotFound, QStringLiteral("nothing matches")};
    if (preview.changeable > 0 || preview.count >= countCap)
        return std::nullopt;
    const QString why = preview.contentGone >= preview.count
                            ? QStringLiteral("their secret or content is gone; let the application emit a new event")
                            : QStringLiteral("none is in a state that allows it");
    return Error{
        ErrorCode::Refused,
        QStringLiteral("%1 can't be done to the %2 matching: %3").arg(request.verb, cappedCount(preview.count), why)};
}

// Polls: the engine that works on it is another process.
Result<OperationRecord> awaited(admin::Console &console, OperationRecord operation, Milliseconds limit)
{
    const QDeadlineTimer deadline(limit);
    while (!isEnded(operation) && !deadline.hasExpired()) {
        QThread::msleep(ulong(pollPause.count()));
        Result<OperationRecord> now = console.operation(operation.id);
        if (!now)
            return now;
        operation = std::move(*now);
    }
    return operation;
}

// "Waits for an engine" is what a person must know before wondering why nothing happens.
bool hasEngine(admin::Console &console)
{
    const auto status = console.status();
    return !status ||
           std::any_of(status->engines.cbegin(), status->engines.cend(), [](const auto &each) { return each.isAlive; });
}

ExitCode codeOf(const OperationRecord &operation, bool wasAwaited)
{
    if (!wasAwaited)
        return ExitCode::Done;
    if (operation.state != QLatin1String("done"))
        return ExitCode::Failed;
    if (operation.done == 0 && operation.skipped > 0)
        return ExitCode::Refused;
    return operation.failed > 0 ? ExitCode::Failed : ExitCode::Done;
}

ExitCode report(Invocation &invocation, admin::Console &console, const OperationRecord &operation, bool wasAwaited)
{
    const bool isWaiting = !isEnded(operation) && !hasEngine(console);
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().withAll(json(operation)).with("waiting_for_engine", isWaiting));
    } else {
        printOperation(invocation.out(), operation);
        if (isWaiting)
            invocation.out().line(
                QStringLiteral("waiting for an engine: none is alive; start one with `sendoffd run`"));
    }
    if (wasAwaited && !isEnded(operation))
        complain(QStringLiteral("operation %1 is not done yet; `sendoffd operation %1` shows it").arg(operation.id));
    return codeOf(operation, wasAwaited);
}

Result<ExitCode> showPreview(Invocation &invocation, admin::Console &console, const admin::OperationRequest &request)
{
    const auto preview = console.preview(request);
    if (!preview)
        return preview.error();
    if (invocation.isJson()) {
        invocation.out().document(
            JsonObject().with("verb", request.verb).with("filter", request.filter.toText()).withAll(json(*preview)));
    } else {
        printPreview(invocation.out(), request.verb, *preview);
    }
    if (const auto why = obstacle(request, *preview))
        return *why;
    return ExitCode::Done;
}

Result<ExitCode> change(Invocation &invocation, const ChangeOptions &options)
{
    const auto request = requestOf(options);
    if (!request)
        return request.error();
    std::optional<Milliseconds> wait;
    if (!options.wait.empty()) {
        wait = parseDuration(QString::fromStdString(options.wait));
        if (!wait)
            return invalid(QStringLiteral("--wait is not a duration; write 30s or 5m"));
    }
    auto console = invocation.openConsole(options.isPreview ? store::Access::ReadOnly : store::Access::ReadWrite);
    if (!console)
        return console.error();
    if (options.isPreview)
        return showPreview(invocation, **console, *request);
    Result<OperationRecord> operation = (*console)->submit(*request);
    if (operation && wait)
        operation = awaited(**console, std::move(*operation), *wait);
    if (!operation)
        return operation.error();
    return report(invocation, **console, *operation, wait.has_value());
}

void addChange(CommandLine &line, const char *verb, const char *description)
{
    auto options = std::make_shared<ChangeOptions>();
    options->verb = QString::fromLatin1(verb);
    CLI::App &command =
        line.add(verb, description, [options](Invocation &invocation) { return change(invocation, *options); });
    command.add_option("id", options->ids, "Delivery ids, instead of a filter");
    QStringList fields = filterFields();
    fields.removeAll(QStringLiteral("id"));
    fields.removeAll(QStringLiteral("reason")); // here it is the person's own; --filter reason:… still chooses
    if (options->verb == QLatin1String("retry")) {
        fields.removeAll(QStringLiteral("event"));
        command.add_flag("--event", options->ofEvents, "The ids are those of rejected events: relay them again");
    }
    options->filter.addTo(command, fields);
    command.add_option("--reason", options->reason, "Why, for the record")->option_text("TEXT");
    command.add_option("--rate", options->rate, "Rows a second at the most")->option_text("N/s");
    command.add_flag("--preview", options->isPreview, "Only count and show the risk");
    command.add_flag("--now", options->isNow, "Begin at once, without the ten seconds for undoing");
    command.add_option("--wait", options->wait, "Wait until it is done, this long at the most")
        ->option_text("DURATION");
}

} // namespace

void addChangeCommands(CommandLine &line)
{
    addChange(line, "retry", "Send deliveries again that are dead, unknown, held or ended otherwise");
    addChange(line, "cancel", "Take deliveries out that have not been sent");
    addChange(line, "discard", "Put dead deliveries away");
}

} // namespace sendoff::app
