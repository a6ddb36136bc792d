#include "admin/store_console.h"
#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/operation_wait.h"
#include "app/cli/provider_test.h"
#include "app/cli/record_json.h"
#include "app/cli/status_text.h"
#include "app/cli/table.h"

namespace sendoff::app {

namespace {

struct ProviderOptions
{
    std::string name;
    std::string duration;
    std::string reason;
    std::string rate;
};

Result<ExitCode> listProviders(Invocation &invocation)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto status = (*console)->status();
    if (!status)
        return status.error();
    if (invocation.isJson())
        invocation.out().document(JsonObject().with("providers", jsonList(status->providers)));
    else
        printProviders(invocation.out(), status->providers);
    return ExitCode::Done;
}

const ProviderRecord *providerIn(const StatusRecord &status, const QString &name)
{
    const auto found = std::find_if(status.providers.cbegin(), status.providers.cend(),
                                    [&](const ProviderRecord &each) { return each.name == name; });
    return found == status.providers.cend() ? nullptr : &*found;
}

Error unknownProvider(const StatusRecord &status, const QString &name)
{
    QStringList names;
    for (const ProviderRecord &each : status.providers)
        names += each.name;
    return {ErrorCode::NotFound,
            names.isEmpty()
                ? QStringLiteral("no engine has entered its providers in this store yet; start one with "
                                 "`sendoffd run`")
                : QStringLiteral("there is no provider %1; there are: %2").arg(name, names.join(QLatin1String(", ")))};
}

void field(Output &out, const char *name, const QString &value)
{
    if (!value.isEmpty())
        out.line(QStringLiteral("  ") + QString::fromLatin1(name).leftJustified(18) + printable(value));
}

void printProvider(Output &out, const ProviderRecord &provider, const std::vector<BacklogRecord> &backlog,
                   const std::vector<NoteRecord> &notes)
{
    out.line(out.bold(printable(provider.name)) + QStringLiteral(": ") + out.colouredState(providerState(provider)));
    field(out, "kind", QStringLiteral("%1, channel %2").arg(provider.kind, toText(provider.channel)));
    field(out, "why", providerDetail(provider));
    field(out, "limit", limitText(provider));
    if (provider.overrideUntil)
        field(out, "set until", toRfc3339(*provider.overrideUntil));
    field(out, "use", QStringLiteral("%1/s in the last five minutes").arg(spokenNumber(provider.usedPerSecond)));
    field(out, "requests",
          QStringLiteral("%1, of these %2 throttled (429), %3 failed")
              .arg(wholeNumber(provider.attempts), wholeNumber(provider.throttled), wholeNumber(provider.failed)));
    field(out, "in flight", wholeNumber(provider.inFlight));
    for (const BacklogRecord &row : backlog) {
        field(out, "queue",
              QStringLiteral("%1: %2 waiting, oldest %3; %4 scheduled, %5 held")
                  .arg(toText(row.lane), cappedCount(row.waiting), spokenAge(row.oldestAge), cappedCount(row.scheduled),
                       cappedCount(row.held)));
    }
    for (const NoteRecord &note : notes)
        field(out, "note", QStringLiteral("%1 %2: %3").arg(toRfc3339(note.at), note.actor, note.text));
}

Result<ExitCode> showProvider(Invocation &invocation, const ProviderOptions &options)
{
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto status = (*console)->status();
    if (!status)
        return status.error();
    const QString name = QString::fromStdString(options.name);
    const ProviderRecord *provider = providerIn(*status, name);
    if (!provider)
        return unknownProvider(*status, name);
    const auto notes = (*console)->notes(QStringLiteral("provider"), name);
    if (!notes)
        return notes.error();
    std::vector<BacklogRecord> backlog;
    std::copy_if(status->backlog.cbegin(), status->backlog.cend(), std::back_inserter(backlog),
                 [&](const BacklogRecord &row) { return row.provider == name; });
    if (invocation.isJson()) {
        invocation.out().document(
            JsonObject().withAll(json(*provider)).with("backlog", jsonList(backlog)).with("notes", jsonList(*notes)));
    } else {
        printProvider(invocation.out(), *provider, backlog, *notes);
    }
    return ExitCode::Done;
}

// ---- controls ------------------------------------------------------------------------------------------------------

// " until 2026-…" as the store has it now: an engine, not this computer's clock, has set it.
QString untilText(const std::optional<Timestamp> &until)
{
    return until ? QStringLiteral(" until %1").arg(toRfc3339(*until)) : QStringLiteral(" until it is resumed");
}

QString byWhom(const OperationRecord &operation)
{
    return operation.detail.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(operation.detail);
}

QString toldOfProvider(admin::Console &console, const OperationRecord &operation)
{
    const QString &name = operation.parameters.target;
    const auto status = console.status();
    const ProviderRecord *now = status ? providerIn(*status, name) : nullptr;
    QString text;
    if (operation.verb == QLatin1String("pause"))
        text = QStringLiteral("%1 is paused%2").arg(name, untilText(now ? now->pausedUntil : std::nullopt));
    else if (operation.verb == QLatin1String("resume"))
        text = QStringLiteral("%1 is no longer paused").arg(name);
    else if (operation.verb == QLatin1String("quota"))
        text = QStringLiteral("%1 is limited to %2/s%3")
                   .arg(name, spokenNumber(operation.parameters.perSecond.value_or(0)),
                        untilText(now ? now->overrideUntil : std::nullopt));
    else
        text = QStringLiteral("%1 starts afresh: its breaker is closed and no limit of a person stands").arg(name);
    return text + byWhom(operation);
}

Result<ExitCode> control(Invocation &invocation, const QString &verb, const ProviderOptions &options)
{
    admin::OperationRequest request;
    request.verb = verb;
    request.reason = QString::fromStdString(options.reason);
    request.actor = admin::defaultActor();
    request.armed = Milliseconds(0);
    request.parameters.targetKind = QStringLiteral("provider");
    request.parameters.target = QString::fromStdString(options.name);
    if (!options.duration.empty()) {
        const auto duration = readDuration(QStringLiteral("--for"), options.duration);
        if (!duration)
            return duration.error();
        request.parameters.duration = *duration;
    }
    if (verb == QLatin1String("quota")) {
        const auto rate = readPerSecond(QStringLiteral("rate"), options.rate);
        if (!rate)
            return rate.error();
        request.parameters.perSecond = *rate;
    }
    return submitAtOnce(invocation, request, toldOfProvider);
}

CLI::App &addControl(CommandLine &line, CLI::App &group, const char *verb, const char *description,
                     const std::shared_ptr<ProviderOptions> &options)
{
    CLI::App &command = line.add(group, verb, description, [verb, options](Invocation &invocation) {
        return control(invocation, QString::fromLatin1(verb), *options);
    });
    command.add_option("name", options->name, "Name of the provider")->required();
    command.add_option("--reason", options->reason, "Why, for the record")->option_text("TEXT");
    return command;
}

} // namespace

void addProviderCommands(CommandLine &line)
{
    CLI::App &group = line.addGroup("provider", "The services that carry messages, and how much they are given");
    line.add(group, "list", "Limit, use, 429s, breaker and pauses of all of them", listProviders);
    auto shown = std::make_shared<ProviderOptions>();
    line.add(group, "show", "One of them with its queues and notes",
             [shown](Invocation &invocation) { return showProvider(invocation, *shown); })
        .add_option("name", shown->name, "Name of the provider")
        ->required();
    const auto options = [] { return std::make_shared<ProviderOptions>(); };
    auto paused = options();
    addControl(line, group, "pause", "Send nothing through it; what is in flight ends", paused)
        .add_option("--for", paused->duration, "Resumes by itself after this")
        ->option_text("DURATION");
    addControl(line, group, "resume", "Send through it again", options());
    auto limited = options();
    CLI::App &quota = addControl(line, group, "quota", "Give it another limit for a while", limited);
    quota.add_option("rate", limited->rate, "Requests a second, e.g. 5/s")->required();
    quota.add_option("--for", limited->duration, "The configured limit comes back after this")
        ->required()
        ->option_text("DURATION");
    addControl(line, group, "reset", "Close its breaker and forget what slowed it", options());
    auto tested = options();
    line.add(
            group, "test", "Whether its configuration is complete and its host answers; sends nothing to anybody",
            [tested](Invocation &invocation) { return testProvider(invocation, QString::fromStdString(tested->name)); })
        .add_option("name", tested->name, "Name of the provider")
        ->required();
}

} // namespace sendoff::app
