#pragma once
#include "app/cli/exit_code.h"
#include "app/cli/invocation.h"
#include <CLI/CLI.hpp>
#include <functional>

namespace sendoff::app {

// The commands of sendoffd. Each command group adds its own; one of them is run.
class CommandLine
{
public:
    using Action = std::function<Result<ExitCode>(Invocation &)>;

    CommandLine();
    // Adds a command with the options that all share. What `action` needs of further options it holds itself
    // (shared_ptr); they are read when it is called.
    CLI::App &add(const char *name, const char *description, Action action);
    CLI::App &add(CLI::App &group, const char *name, const char *description, Action action);
    // A command that only has commands below it.
    CLI::App &addGroup(const char *name, const char *description);

    // Reads the arguments and runs what they ask for. Needs the application object. Answers the exit code.
    int run(int argc, char **argv);

private:
    void addCommonOptions(CLI::App &command);
    CLI::App *commandOf(const std::string &name); // nullptr: there is none
    std::optional<int> parse(int argc, char **argv);

    CLI::App m_app;
    CommonOptions m_options;
    Action m_chosen;
};

// The filter's fields that no option of the command has taken: the flags it can still be given.
QStringList freeFilterFields(const CLI::App &command);

// The command groups, each in its own file.
void addEngineCommands(CommandLine &line);    // run check
void addStoreCommands(CommandLine &line);     // migrate version
void addStatusCommands(CommandLine &line);    // status
void addPublishCommands(CommandLine &line);   // publish
void addEventCommands(CommandLine &line);     // emit events
void addDeliveryCommands(CommandLine &line);  // list show
void addProblemCommands(CommandLine &line);   // problems note
void addPersonCommands(CommandLine &line);    // person
void addActivityCommands(CommandLine &line);  // forecast activity
void addChangeCommands(CommandLine &line);    // retry cancel discard reschedule edit
void addOperationCommands(CommandLine &line); // operations operation undo stop
void addProviderCommands(CommandLine &line);  // provider
void addPauseCommands(CommandLine &line);     // pause resume
void addPeopleCommands(CommandLine &line);    // inbox contact
void addRightsCommands(CommandLine &line);    // roles reveal audit
void addSandboxCommands(CommandLine &line);   // sandbox

} // namespace sendoff::app
