#include "admin/store_console.h"
#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/filter_flags.h"
#include "app/cli/operation_wait.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"

namespace sendoff::app {

namespace {

struct ProblemOptions
{
    FilterFlags filter;
    std::string by = "fingerprint";
    int limit = 20;
};

// The command that does what the suggestion says, or shows the group where it needs a person's thought first.
QString commandFor(const ProblemRecord &problem, const QString &sameStore)
{
    const QString filter = shellQuoted(problem.filter);
    if (problem.verb.isEmpty())
        return QStringLiteral("sendoffd list%1 --filter %2").arg(sameStore, filter);
    return QStringLiteral("sendoffd %1%2 --filter %3 --preview").arg(problem.verb, sameStore, filter);
}

QString agoText(const std::optional<Timestamp> &time)
{
    return time ? QStringLiteral("%1 ago").arg(spokenAge(SystemClock().now() - *time)) : QString();
}

QString titleOf(const ProblemRecord &problem)
{
    if (!problem.title.isEmpty())
        return problem.title;
    return problem.key.isEmpty() ? QStringLiteral("ungrouped") : problem.key;
}

void printProblems(Output &out, const std::vector<ProblemRecord> &problems, const QString &sameStore)
{
    if (problems.empty()) {
        out.line(QStringLiteral("nothing is dead, unknown or failing"));
        return;
    }
    Table table({QStringLiteral("#"), QStringLiteral("DEAD"), QStringLiteral("UNKNOWN"), QStringLiteral("FAILING"),
                 QStringLiteral("PEOPLE"), QStringLiteral("LAST SEEN"), QStringLiteral("WHAT BROKE")});
    int number = 0;
    for (const ProblemRecord &problem : problems) {
        table.add({QString::number(++number), wholeNumber(problem.dead), wholeNumber(problem.unknown),
                   wholeNumber(problem.failing), cappedCount(problem.people), agoText(problem.lastSeen),
                   titleOf(problem)});
    }
    out.table(table);
    number = 0;
    const QString indent(4, u' ');
    for (const ProblemRecord &problem : problems) {
        out.line();
        out.line(QString::number(++number).leftJustified(4) + out.bold(printable(titleOf(problem))));
        for (const QString &line : wrapped(printable(problem.suggestion), terminalWidth() - indent.size()))
            out.line(indent + line);
        out.line(indent + printable(commandFor(problem, sameStore)));
        for (const NoteRecord &note : problem.notes) {
            out.line(indent +
                     printable(QStringLiteral("note of %1, %2: %3").arg(note.actor, toRfc3339(note.at), note.text)));
        }
    }
}

JsonValue document(const std::vector<ProblemRecord> &problems, const QString &sameStore)
{
    std::vector<JsonValue> items;
    for (const ProblemRecord &problem : problems)
        items.push_back(JsonObject().withAll(json(problem)).with("command", commandFor(problem, sameStore)));
    return JsonObject().with("problems", JsonValue::array(std::move(items)));
}

Result<ExitCode> listProblems(Invocation &invocation, const ProblemOptions &options)
{
    const auto grouping = fromText<ProblemGrouping>(QString::fromStdString(options.by));
    if (!grouping)
        return invalid(QStringLiteral("--by is no grouping; use fingerprint, provider, type, domain or set"));
    const auto filter = options.filter.filter();
    if (!filter)
        return filter.error();
    auto console = invocation.openConsole(store::Access::ReadOnly);
    if (!console)
        return console.error();
    const auto problems = (*console)->problems(*grouping, *filter, options.limit);
    if (!problems)
        return problems.error();
    if (invocation.isJson())
        invocation.out().document(document(*problems, invocation.sameStore()));
    else
        printProblems(invocation.out(), *problems, invocation.sameStore());
    return ExitCode::Done;
}

// ---- note ----------------------------------------------------------------------------------------------------------

struct NoteOptions
{
    std::string kind;
    std::string object;
    std::string text;
};

constexpr qsizetype maxNote = 2'000;

Result<ExitCode> note(Invocation &invocation, const NoteOptions &options)
{
    static const QStringList kinds{QStringLiteral("problem"), QStringLiteral("delivery"), QStringLiteral("event"),
                                   QStringLiteral("provider"), QStringLiteral("user")};
    admin::OperationRequest request;
    request.verb = QStringLiteral("note");
    request.actor = admin::defaultActor();
    request.armed = Milliseconds(0);
    request.parameters.targetKind = QString::fromStdString(options.kind);
    request.parameters.target = QString::fromStdString(options.object);
    request.parameters.text = QString::fromStdString(options.text).trimmed();
    if (!kinds.contains(request.parameters.targetKind))
        return invalid(QStringLiteral("kind is nothing to note on; use problem, delivery, event, provider or user"));
    if (request.parameters.target.isEmpty() || request.parameters.target.size() > 200)
        return invalid(QStringLiteral("object must have 1 to 200 characters: an id, a name or a problem's key"));
    if (request.parameters.text.isEmpty() || request.parameters.text.size() > maxNote)
        return invalid(QStringLiteral("text must have 1 to %1 characters").arg(maxNote));
    return submitAtOnce(invocation, request, [](admin::Console &, const OperationRecord &operation) {
        return QStringLiteral("noted on %1 %2").arg(operation.parameters.targetKind, operation.parameters.target);
    });
}

} // namespace

void addProblemCommands(CommandLine &line)
{
    auto options = std::make_shared<ProblemOptions>();
    CLI::App &command = line.add("problems", "What is dead, unknown or failing, grouped by cause, with what to do",
                                 [options](Invocation &invocation) { return listProblems(invocation, *options); });
    command.add_option("--by", options->by, "fingerprint, provider, type, domain or set")
        ->option_text("WORD")
        ->capture_default_str();
    command.add_option("--limit", options->limit, "Groups at the most")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    options->filter.addTo(command, freeFilterFields(command));

    auto noted = std::make_shared<NoteOptions>();
    CLI::App &writing = line.add("note", "Write something down about a problem, delivery, event, provider or user",
                                 [noted](Invocation &invocation) { return note(invocation, *noted); });
    writing.add_option("kind", noted->kind, "problem, delivery, event, provider or user")->required();
    writing.add_option("object", noted->object, "Its id or name; a problem's key")->required();
    writing.add_option("text", noted->text, "At most 2000 characters, no personal data")->required();
}

} // namespace sendoff::app
