#include "admin/store_console.h"
#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/operation_wait.h"
#include "app/cli/terminal.h"
#include "domain/words.h"

#include <iostream>

namespace sendoff::app {

namespace {

struct PauseOptions
{
    std::string lane;
    std::string channel;
    std::string duration;
    std::string reason;
    bool ofAll = false;
    bool isSure = false;
};

// What is paused or resumed.
struct Target
{
    QString kind;
    QString name;
};

Result<Target> targetOf(const PauseOptions &options)
{
    const int given = int(!options.lane.empty()) + int(!options.channel.empty()) + int(options.ofAll);
    if (given != 1)
        return invalid(QStringLiteral("say what: exactly one of --lane, --channel and --all; a provider has "
                                      "`sendoffd provider pause`"));
    if (options.ofAll)
        return Target{QStringLiteral("all"), {}};
    if (!options.lane.empty()) {
        const QString lane = QString::fromStdString(options.lane);
        if (!fromText<Lane>(lane))
            return invalid(QStringLiteral("--lane is no lane; use urgent, normal or bulk"));
        return Target{QStringLiteral("lane"), lane};
    }
    const QString channel = QString::fromStdString(options.channel);
    if (!fromText<Channel>(channel))
        return invalid(QStringLiteral("--channel is no channel; use email, sms, push, inbox or webhook"));
    return Target{QStringLiteral("channel"), channel};
}

// Nothing is sent to anybody any more: whoever is asked for it types the word.
Result<void> confirmed(const PauseOptions &options, bool isPause)
{
    if (!isPause || !options.ofAll || options.isSure || !options.reason.empty() || !isTerminalIn())
        return {};
    std::cerr << "This stops every message to everybody. Type ALL to do it: " << std::flush;
    std::string word;
    std::getline(std::cin, word);
    if (word != "ALL")
        return Error{ErrorCode::Refused, QStringLiteral("not confirmed; nothing was stored")};
    return {};
}

QString told(admin::Console &console, const OperationRecord &operation)
{
    const OperationParameters &parameters = operation.parameters;
    const QString what = parameters.targetKind == QLatin1String("all")
                             ? QStringLiteral("all sending")
                             : QStringLiteral("%1 %2").arg(parameters.targetKind, parameters.target);
    const QString by = operation.detail.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(operation.detail);
    if (operation.verb == QLatin1String("resume"))
        return QStringLiteral("%1 is no longer paused%2").arg(what, by);
    QString until = QStringLiteral("until it is resumed");
    if (const auto status = console.status()) {
        for (const PauseRecord &pause : status->pauses) {
            if (pause.kind == parameters.targetKind && pause.name == parameters.target && pause.until)
                until = QStringLiteral("until %1").arg(toRfc3339(*pause.until));
        }
    }
    return QStringLiteral("%1 is paused %2%3").arg(what, until, by);
}

Result<ExitCode> change(Invocation &invocation, const char *verb, const PauseOptions &options)
{
    const bool isPause = QLatin1String(verb) == QLatin1String("pause");
    const auto target = targetOf(options);
    if (!target)
        return target.error();
    admin::OperationRequest request;
    request.verb = QString::fromLatin1(verb);
    request.parameters.targetKind = target->kind;
    request.parameters.target = target->name;
    request.reason = QString::fromStdString(options.reason);
    request.actor = admin::defaultActor();
    request.armed = Milliseconds(0);
    if (!options.duration.empty()) {
        const auto duration = readDuration(QStringLiteral("--for"), options.duration);
        if (!duration)
            return duration.error();
        request.parameters.duration = *duration;
    }
    if (const auto sure = confirmed(options, isPause); !sure)
        return sure.error();
    return submitAtOnce(invocation, request, told);
}

CLI::App &addCommand(CommandLine &line, const char *verb, const char *description,
                     const std::shared_ptr<PauseOptions> &options)
{
    CLI::App &command = line.add(
        verb, description, [verb, options](Invocation &invocation) { return change(invocation, verb, *options); });
    command.add_option("--lane", options->lane, "urgent, normal or bulk")->option_text("WORD");
    command.add_option("--channel", options->channel, "email, sms, push, inbox or webhook")->option_text("WORD");
    command.add_flag("--all", options->ofAll, "Everything");
    command.add_option("--reason", options->reason, "Why, for the record")->option_text("TEXT");
    return command;
}

} // namespace

void addPauseCommands(CommandLine &line)
{
    auto paused = std::make_shared<PauseOptions>();
    CLI::App &pause = addCommand(line, "pause", "Send nothing of a lane, a channel or at all", paused);
    pause.add_option("--for", paused->duration, "Resumes by itself after this")->option_text("DURATION");
    pause.add_flag("--yes", paused->isSure, "With --all on a terminal: don't ask");
    addCommand(line, "resume", "Send it again", std::make_shared<PauseOptions>());
}

} // namespace sendoff::app
