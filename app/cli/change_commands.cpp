#include "app/cli/arguments.h"
#include "app/cli/change_request.h"
#include "app/cli/command_line.h"
#include "app/cli/operation_text.h"
#include "app/cli/operation_wait.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"

namespace sendoff::app {

namespace {

// Why submitting it would be refused. The engine's rules have counted; here the answer is only worded.
std::optional<Error> obstacle(const admin::OperationRequest &request, const PreviewRecord &preview)
{
    if (preview.count == 0)
        return Error{ErrorCode::NotFound, QStringLiteral("nothing matches")};
    if (preview.changeable > 0 || preview.isCapped || preview.count >= countCap)
        return std::nullopt;
    const QString why = !preview.refusals.empty() ? preview.refusals.front().first
                        : preview.contentGone >= preview.count
                            ? QStringLiteral("their secret or content is gone; let the application emit a new event")
                            : QStringLiteral("none is in a state that allows it");
    return Error{
        ErrorCode::Refused,
        QStringLiteral("%1 can't be done to the %2 matching: %3").arg(request.verb, cappedCount(preview.count), why)};
}

Result<ExitCode> showPreview(Invocation &invocation, admin::Console &console, const admin::OperationRequest &request,
                             const ChangeOptions &options)
{
    const auto preview = console.preview(request);
    if (!preview)
        return preview.error();
    const QString command = commandOf(options, request, invocation.sameStore());
    if (invocation.isJson()) {
        invocation.out().document(JsonObject()
                                      .with("verb", request.verb)
                                      .with("filter", request.filter.toText())
                                      .withAll(json(*preview))
                                      .with("command", command));
    } else {
        printPreview(invocation.out(), request.verb, *preview, command);
    }
    if (const auto why = obstacle(request, *preview))
        return *why;
    return ExitCode::Done;
}

ExitCode codeOf(const OperationRecord &operation)
{
    if (operation.state != QLatin1String("done"))
        return ExitCode::Failed;
    if (operation.done == 0 && operation.skipped > 0)
        return ExitCode::Refused;
    return operation.failed > 0 ? ExitCode::Failed : ExitCode::Done;
}

// What people see after the operation was stored or awaited.
void printAfter(Output &out, admin::Console &console, const OperationRecord &operation, const QString &sameStore)
{
    printOperation(out, operation);
    if (isEnded(operation) && operation.skipped > 0) {
        const auto skipped = console.operationItems(operation.id, QStringLiteral("skipped"), 1'000);
        if (skipped)
            printSkipped(out, *skipped);
    }
    if (operation.state == QLatin1String("armed") && operation.armedUntil > SystemClock().now()) {
        const Milliseconds left = operation.armedUntil - SystemClock().now() + Milliseconds(999);
        out.line(
            QStringLiteral("undo within %1: sendoffd undo%2 %3").arg(spokenAge(left), sameStore).arg(operation.id));
    }
}

ExitCode report(Invocation &invocation, admin::Console &console, const AwaitedOperation &awaited, bool wasAwaited)
{
    const OperationRecord &operation = awaited.operation;
    const bool isWaiting = !isEnded(operation) && (awaited.isWithoutEngine || !hasEngine(console));
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().withAll(json(operation)).with("waiting_for_engine", isWaiting));
    } else {
        printAfter(invocation.out(), console, operation, invocation.sameStore());
        if (isWaiting)
            invocation.out().line(
                QStringLiteral("waiting for an engine: none is alive; start one with `sendoffd run`"));
    }
    if (!wasAwaited)
        return ExitCode::Done;
    if (awaited.wasInterrupted) {
        complain(QStringLiteral("operation %1 goes on without this program; `sendoffd operation %1` shows it, "
                                "`sendoffd stop %1` stops it")
                     .arg(operation.id));
        return ExitCode::Failed;
    }
    if (!isEnded(operation))
        complain(QStringLiteral("operation %1 is not done yet; `sendoffd operation %1` shows it").arg(operation.id));
    return codeOf(operation);
}

Result<ExitCode> change(Invocation &invocation, const ChangeOptions &options)
{
    std::optional<Milliseconds> wait;
    if (!options.wait.empty()) {
        const auto read = readDuration(QStringLiteral("--wait"), options.wait);
        if (!read)
            return read.error();
        wait = *read;
    }
    const auto request = requestOf(options);
    if (!request)
        return request.error();
    auto console = invocation.openConsole(options.isPreview ? store::Access::ReadOnly : store::Access::ReadWrite);
    if (!console)
        return console.error();
    if (options.isPreview)
        return showPreview(invocation, **console, *request, options);
    const Result<OperationRecord> stored = (*console)->submit(*request);
    if (!stored)
        return stored.error();
    if (!options.isWaiting)
        return report(invocation, **console, {*stored, false, false}, false);
    const auto awaited = awaitOperation(**console, *stored, wait, invocation.isJson());
    if (!awaited)
        return awaited.error();
    return report(invocation, **console, *awaited, true);
}

void addOwnOptions(CLI::App &command, const std::shared_ptr<ChangeOptions> &options)
{
    if (options->verb == QLatin1String("retry"))
        command.add_flag("--event", options->ofEvents, "The ids are those of rejected events: relay them again");
    if (options->verb == QLatin1String("reschedule")) {
        command.add_option("--at", options->at, "The new time, RFC 3339")->option_text("TIME");
        command.add_option("--in", options->in, "The new time, from now")->option_text("DURATION");
    }
    if (options->verb == QLatin1String("edit")) {
        command.add_option("--address", options->address, "The right address; it shows in process lists")
            ->option_text("ADDRESS");
        command.add_flag("--address-stdin", options->isAddressRead, "Read the right address from standard input");
        command.add_option("--locale", options->locale, "Another language, e.g. de-AT")->option_text("LOCALE");
        command
            .add_option("--payload-patch", options->payloadPatch,
                        "RFC 7396 merge patch of the payload; - for standard input")
            ->option_text("FILE|-");
    }
}

void addChange(CommandLine &line, const char *verb, const char *description)
{
    auto options = std::make_shared<ChangeOptions>();
    options->verb = QString::fromLatin1(verb);
    CLI::App &command =
        line.add(verb, description, [options](Invocation &invocation) { return change(invocation, *options); });
    command.add_option("id", options->ids, "Delivery ids, instead of a filter");
    addOwnOptions(command, options);
    command.add_option("--reason", options->reason, "Why, for the record")->option_text("TEXT");
    command.add_option("--rate", options->rate, "Rows a second at the most")->option_text("N/s");
    command
        .add_option("--stop-at-failures", options->stopAtFailures,
                    "Stop by itself when more than this part fails again")
        ->option_text("P%");
    command.add_flag("--preview", options->isPreview, "Only count and show the risk and the command to do it");
    command.add_flag("--now", options->isNow, "Begin at once, without the ten seconds for undoing");
    command
        .add_option_function<std::string>(
            "--wait",
            [options](const std::string &text) {
                options->isWaiting = true;
                options->wait = text;
            },
            "Wait until it is done, this long at the most; exits 1 when it is not done then, or some failed again")
        ->expected(0, 1)
        ->option_text("[DURATION]");
    options->filter.addTo(command, freeFilterFields(command));
}

} // namespace

void addChangeCommands(CommandLine &line)
{
    addChange(line, "retry", "Send deliveries again that are dead, unknown, held or ended otherwise");
    addChange(line, "cancel", "Take deliveries out that have not been sent");
    addChange(line, "discard", "Put dead deliveries away");
    addChange(line, "reschedule", "Give deliveries that wait another time");
    addChange(line, "edit", "Send corrected copies instead: right address, language or payload");
}

} // namespace sendoff::app
