#include "app/cli/command_line.h"

#include "domain/filter.h"

#include <QStringDecoder>
#include <iostream>

namespace sendoff::app {

namespace {

constexpr const char *usageFooter =
    "Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 store unavailable, 4 nothing matched, 5 refused.\n"
    "`sendoffd COMMAND --help` lists the options of a command.";

bool isUtf8(const char *text)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = decoder(QByteArrayView(text));
    return !decoder.hasError() && !decoded.contains(QChar(0));
}

} // namespace

CommandLine::CommandLine()
    : m_app("Turns committed events into messages, and shows what became of each one.", "sendoffd")
{
    m_app.require_subcommand(1);
    m_app.footer(usageFooter);
    m_app.set_help_flag("-h,--help", "This text");
    m_app.set_version_flag("--version", SENDOFF_VERSION, "The program's version");
    addCommonOptions(m_app);
    addEngineCommands(*this);
    addStoreCommands(*this);
    addStatusCommands(*this);
    addPublishCommands(*this);
    addEventCommands(*this);
    addDeliveryCommands(*this);
    addProblemCommands(*this);
    addPersonCommands(*this);
    addActivityCommands(*this);
    addChangeCommands(*this);
    addOperationCommands(*this);
    addProviderCommands(*this);
    addPauseCommands(*this);
    addPeopleCommands(*this);
    addRightsCommands(*this);
    addSandboxCommands(*this);
    // Needs neither store nor configuration: `help` and `help COMMAND`.
    auto name = std::make_shared<std::string>();
    CLI::App &help = add("help", "The commands, or the options of one", [this, name](Invocation &) -> Result<ExitCode> {
        CLI::App *command = name->empty() ? &m_app : commandOf(*name);
        if (!command)
            return Error{ErrorCode::Invalid,
                         QStringLiteral("there is no command of this name; `sendoffd help` lists them")};
        // Through the formatter: help() of an app speaks of the command that was read, which is this one.
        std::cout << command->get_formatter()->make_help(command, command == &m_app ? "sendoffd" : "sendoffd " + *name,
                                                         CLI::AppFormatMode::Normal);
        return ExitCode::Done;
    });
    help.add_option("command", *name, "Name of the command");
}

void CommandLine::addCommonOptions(CLI::App &command)
{
    command
        .add_option("--config", m_options.config,
                    "Configuration (else $SENDOFF_CONFIG, ./sendoff.toml, /etc/sendoff/sendoff.toml)")
        ->option_text("FILE");
    command
        .add_option("--store", m_options.store, "Store instead of the configuration's, sqlite:PATH or postgresql://…")
        ->option_text("URL");
    command.add_flag("--json", m_options.isJson, "Print JSON");
}

CLI::App &CommandLine::add(const char *name, const char *description, Action action)
{
    return add(m_app, name, description, std::move(action));
}

CLI::App &CommandLine::add(CLI::App &group, const char *name, const char *description, Action action)
{
    CLI::App &command = *group.add_subcommand(name, description);
    command.set_help_flag("-h,--help", "This text");
    addCommonOptions(command);
    command.callback([this, action = std::move(action)] { m_chosen = action; });
    return command;
}

CLI::App *CommandLine::commandOf(const std::string &name)
{
    for (CLI::App *command : m_app.get_subcommands([](const CLI::App *) { return true; })) {
        if (command->get_name() == name)
            return command;
    }
    return nullptr;
}

CLI::App &CommandLine::addGroup(const char *name, const char *description)
{
    CLI::App &group = *m_app.add_subcommand(name, description);
    group.set_help_flag("-h,--help", "This text");
    group.require_subcommand(1);
    return group;
}

// An exit code where there is nothing to run.
std::optional<int> CommandLine::parse(int argc, char **argv)
{
    for (int at = 1; at < argc; ++at) {
        if (!isUtf8(argv[at])) {
            complain(QStringLiteral("argument %1 is not valid UTF-8; write it in UTF-8").arg(at));
            return int(ExitCode::Usage);
        }
    }
    try {
        m_app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::CallForHelp &) {
        std::cout << m_app.help();
    } catch (const CLI::CallForVersion &) {
        std::cout << "sendoffd " << SENDOFF_VERSION << '\n';
    } catch (const CLI::ParseError &error) {
        // What no command took stands in remaining(): then the word, not the missing command, is the mistake.
        const std::vector<std::string> unknown =
            m_app.get_subcommands().empty() ? m_app.remaining() : std::vector<std::string>();
        const QString why = unknown.empty()
                                ? QString::fromUtf8(error.what()).replace(u'\n', u' ')
                                : QStringLiteral("there is no command %1").arg(QString::fromStdString(unknown.front()));
        complain(why + QStringLiteral("; see `sendoffd --help`"));
        return int(ExitCode::Usage);
    }
    std::cout.flush();
    return int(ExitCode::Done);
}

QStringList freeFilterFields(const CLI::App &command)
{
    QStringList fields = filterFields();
    fields.removeIf([&](const QString &field) {
        const std::string name = field.toStdString();
        return command.get_option_no_throw("--" + name) || command.get_option_no_throw(name);
    });
    return fields;
}

int CommandLine::run(int argc, char **argv)
{
    if (const std::optional<int> code = parse(argc, argv))
        return *code;
    Invocation invocation(m_options);
    const Result<ExitCode> result = m_chosen(invocation);
    if (!result) {
        complain(result.error().message);
        return int(exitCodeFor(result.error().code));
    }
    if (const Result<void> flushed = invocation.out().flush(); !flushed) {
        complain(flushed.error().message);
        return int(exitCodeFor(flushed.error().code));
    }
    return int(*result);
}

} // namespace sendoff::app
