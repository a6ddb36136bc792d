#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/record_json.h"
#include "app/cli/status_text.h"
#include "app/cli/terminal.h"

namespace sendoff::app {

namespace {

constexpr Milliseconds usualRedraw{2'000};
constexpr Milliseconds shortestRedraw{500};

struct StatusOptions
{
    std::string watch;
    bool isWatching = false;
};

Result<ExitCode> show(Invocation &invocation, admin::Console &console)
{
    const auto record = console.status();
    if (!record)
        return record.error();
    if (invocation.isJson())
        invocation.out().document(json(*record));
    else
        printStatus(invocation.out(), *record);
    return record->isHealthy ? ExitCode::Done : ExitCode::Failed;
}

// A store that is away for a while is shown as such: whoever watches wants to see it come back.
Result<ExitCode> watch(Invocation &invocation, admin::Console &console, Milliseconds pause)
{
    Interruption interruption(Interruption::Keys::QEnds);
    do {
        const auto record = console.status();
        invocation.out().clearScreen();
        if (record)
            printStatus(invocation.out(), *record);
        else
            invocation.out().line(record.error().message);
        invocation.out().line();
        invocation.out().line(QStringLiteral("again every %1; q ends").arg(formatDuration(pause)));
        if (const auto flushed = invocation.out().flush(); !flushed)
            return flushed.error();
    } while (!interruption.waitFor(pause));
    return ExitCode::Done;
}

Result<ExitCode> status(Invocation &invocation, const StatusOptions &options)
{
    Milliseconds pause = usualRedraw;
    if (!options.watch.empty()) {
        const auto read = readDuration(QStringLiteral("--watch"), options.watch);
        if (!read)
            return read.error();
        pause = std::max(*read, shortestRedraw);
    }
    if (options.isWatching && (invocation.isJson() || !isTerminalOut()))
        return invalid(QStringLiteral("--watch needs a terminal to draw on; leave it out, and --json too with it"));
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    return options.isWatching ? watch(invocation, **console, pause) : show(invocation, **console);
}

} // namespace

void addStatusCommands(CommandLine &line)
{
    auto options = std::make_shared<StatusOptions>();
    CLI::App &command = line.add("status", "One screen of the state of things; exits 1 when it is unhealthy",
                                 [options](Invocation &invocation) { return status(invocation, *options); });
    command
        .add_option_function<std::string>(
            "--watch",
            [options](const std::string &text) {
                options->isWatching = true;
                options->watch = text;
            },
            "Draw it again and again on a terminal until q; then exits 0")
        ->expected(0, 1)
        ->option_text("[DURATION]");
}

} // namespace sendoff::app
