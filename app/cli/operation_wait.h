#pragma once
#include "admin/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/invocation.h"
#include <optional>

namespace sendoff::app {

// What waiting for an operation came to.
struct AwaitedOperation
{
    OperationRecord operation;
    bool wasInterrupted = false;  // by Ctrl+C: it goes on without us
    bool isWithoutEngine = false; // nobody is alive to carry it out
};

// Waits until the operation has ended and what it gave back has an outcome, by polling: the engine that works on it is
// another process. Without a limit it gives up where no engine is alive. Shows how far it is on standard error unless
// `isQuiet`. Errors: the store's.
Result<AwaitedOperation> awaitOperation(admin::Console &console, OperationRecord operation,
                                        std::optional<Milliseconds> limit, bool isQuiet);

// Whether an engine is alive; true where that can't be told.
bool hasEngine(admin::Console &console);

// Stores a command that takes effect at once (pause, quota, note …), waits five seconds for an engine to carry it out
// and prints what became of it: `told` words it once it is done. Exit code 0 also where it only waits for an engine.
Result<ExitCode> submitAtOnce(Invocation &invocation, const admin::OperationRequest &request,
                              const std::function<QString(admin::Console &, const OperationRecord &)> &told);

} // namespace sendoff::app
