#include "app/cli/operation_wait.h"

#include "app/cli/operation_text.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"

#include <QDeadlineTimer>

namespace sendoff::app {

namespace {

constexpr Milliseconds pollPause{200};
constexpr Milliseconds engineLook{10'000}; // between two looks for a living engine
constexpr Milliseconds takeEffectPatience{5'000};

// A row that is given back has an outcome later than the operation's own end.
bool givesBack(const OperationRecord &operation)
{
    return operation.verb == QLatin1String("retry") || operation.verb == QLatin1String("edit");
}

bool isSettled(const OperationRecord &operation)
{
    return isEnded(operation) && (!givesBack(operation) || operation.done == 0 || operation.isTallied ||
                                  operation.state == QLatin1String("undone"));
}

} // namespace

bool hasEngine(admin::Console &console)
{
    const auto status = console.status();
    return !status ||
           std::any_of(status->engines.cbegin(), status->engines.cend(), [](const auto &each) { return each.isAlive; });
}

Result<AwaitedOperation> awaitOperation(admin::Console &console, OperationRecord operation,
                                        std::optional<Milliseconds> limit, bool isQuiet)
{
    Interruption interruption;
    ProgressLine progress;
    const QDeadlineTimer deadline = limit ? QDeadlineTimer(*limit) : QDeadlineTimer(QDeadlineTimer::Forever);
    QDeadlineTimer nextLook(Milliseconds(0));
    AwaitedOperation awaited{std::move(operation), false, false};
    while (!isSettled(awaited.operation) && !deadline.hasExpired()) {
        if (!limit && nextLook.hasExpired()) {
            awaited.isWithoutEngine = !hasEngine(console);
            if (awaited.isWithoutEngine)
                break;
            nextLook.setRemainingTime(engineLook);
        }
        if (!isQuiet)
            progress.show(progressText(awaited.operation, SystemClock().now()));
        if (interruption.waitFor(pollPause)) {
            awaited.wasInterrupted = true;
            break;
        }
        Result<OperationRecord> now = console.operation(awaited.operation.id);
        if (!now)
            return now.error();
        awaited.operation = std::move(*now);
    }
    return awaited;
}

Result<ExitCode> submitAtOnce(Invocation &invocation, const admin::OperationRequest &request,
                              const std::function<QString(admin::Console &, const OperationRecord &)> &told)
{
    auto console = invocation.openConsole(store::Access::ReadWrite);
    if (!console)
        return console.error();
    const Result<OperationRecord> stored = (*console)->submit(request);
    if (!stored)
        return stored.error();
    // Without an engine nothing happens within seconds: that is said at once.
    const bool isAlone = !isEnded(*stored) && !hasEngine(**console);
    Result<AwaitedOperation> awaited = AwaitedOperation{*stored, false, isAlone};
    if (!isAlone)
        awaited = awaitOperation(**console, *stored, takeEffectPatience, true);
    if (!awaited)
        return awaited.error();
    const OperationRecord &operation = awaited->operation;
    Output &out = invocation.out();
    if (invocation.isJson()) {
        out.document(JsonObject().withAll(json(operation)).with("waiting_for_engine", isAlone));
    } else if (operation.state == QLatin1String("done")) {
        out.line(printable(told(**console, operation)));
    } else if (isEnded(operation)) {
        printOperation(out, operation);
    } else {
        out.line(QStringLiteral("stored as operation %1; waiting for an engine: %2")
                     .arg(operation.id)
                     .arg(isAlone ? QStringLiteral("none is alive; start one with `sendoffd run`")
                                  : QStringLiteral("none has carried it out yet; `sendoffd operation %1` shows it")
                                        .arg(operation.id)));
    }
    const bool isWell = !isEnded(operation) || operation.state == QLatin1String("done");
    return isWell ? ExitCode::Done : ExitCode::Failed;
}

} // namespace sendoff::app
