#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/record_json.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"

namespace sendoff::app {

namespace {

struct PersonOptions
{
    std::string query;
    int limit = 50;
};

constexpr int widest = 100; // longer lines are hard to read, however wide the terminal is

QString foundByText(const QString &word)
{
    if (word == QLatin1String("user"))
        return QStringLiteral("found by user id");
    if (word == QLatin1String("message"))
        return QStringLiteral("found by a provider's message id");
    return QStringLiteral("found by %1").arg(word);
}

// Several lines under one head, wrapped.
void section(Output &out, const char *head, const QStringList &lines)
{
    const int width = std::min(terminalWidth(), widest);
    QString name = QString::fromLatin1(head);
    for (const QString &each : lines) {
        for (const QString &line : wrapped(printable(each), width - 16)) {
            out.line(QStringLiteral("  ") + name.leftJustified(14) + line);
            name.clear();
        }
    }
}

QStringList contactLines(const PersonRecord &person)
{
    QStringList lines;
    for (const PersonContact &each : person.contacts) {
        QStringList parts{QStringLiteral("%1 %2").arg(toText(each.channel), each.addressMask)};
        if (!each.locale.isEmpty())
            parts += each.locale;
        if (!each.timeZone.isEmpty())
            parts += each.timeZone;
        if (each.disabledAt)
            parts += QStringLiteral("disabled since %1: %2").arg(toRfc3339(*each.disabledAt), each.disabledReason);
        lines += parts.join(QLatin1String(", "));
    }
    return lines;
}

QStringList preferenceLines(const PersonRecord &person)
{
    QStringList lines;
    for (const PersonPreference &each : person.preferences) {
        lines +=
            QStringLiteral("%1 by %2: %3, set %4%5")
                .arg(each.category, toText(each.channel),
                     each.isAllowed ? QStringLiteral("wanted") : QStringLiteral("not wanted"), toRfc3339(each.setAt),
                     each.setBy.isEmpty() ? QString() : QStringLiteral(" by %1").arg(each.setBy));
    }
    return lines;
}

QStringList suppressionLines(const PersonRecord &person)
{
    QStringList lines;
    for (const PersonSuppression &each : person.suppressions) {
        const QString scope = each.scopeValue.isEmpty() ? each.scope : each.scope + u' ' + each.scopeValue;
        lines += QStringLiteral("%1 %2 (%3): %4, since %5%6")
                     .arg(toText(each.channel), each.addressMask, scope, each.reason, toRfc3339(each.createdAt),
                          each.expiresAt ? QStringLiteral(" until %1").arg(toRfc3339(*each.expiresAt)) : QString());
    }
    return lines;
}

QStringList noteLines(const PersonRecord &person)
{
    QStringList lines;
    for (const NoteRecord &each : person.notes)
        lines += QStringLiteral("%1, %2: %3").arg(toRfc3339(each.at), each.actor, each.text);
    return lines;
}

void printEvent(Output &out, const PersonEvent &each)
{
    const int width = std::min(terminalWidth(), widest);
    out.line();
    out.line(QStringLiteral("%1  %2").arg(toRfc3339(each.event.occurredAt), out.bold(printable(each.event.type))));
    out.line(QStringLiteral("  event ") + printable(each.event.id.value));
    if (each.event.state == EventState::Rejected)
        section(out, "rejected", {each.event.reason});
    if (each.event.state == EventState::Pending)
        out.line(QStringLiteral("  waits for an engine to turn it into deliveries"));
    for (const PersonDelivery &row : each.deliveries) {
        const DeliveryRecord &delivery = row.delivery;
        out.line(QStringLiteral("  %1 %2: %3")
                     .arg(toText(delivery.channel), printable(delivery.addressMask),
                          out.colouredState(toText(delivery.state))));
        for (const QString &line : wrapped(printable(row.verdict), width - 6))
            out.line(QString(6, u' ') + line);
        out.line(QString(6, u' ') + QStringLiteral("delivery ") + printable(delivery.id.value));
    }
}

void printPerson(Output &out, const PersonRecord &person)
{
    const QString name = person.user.isEmpty() ? QStringLiteral("a person without a user id") : person.user.value;
    out.line(out.bold(printable(name)) + QStringLiteral(", ") + foundByText(person.foundBy));
    section(out, "contacts", contactLines(person));
    section(out, "preferences", preferenceLines(person));
    section(out, "suppressed", suppressionLines(person));
    section(out, "notes", noteLines(person));
    for (const PersonEvent &event : person.events)
        printEvent(out, event);
    out.line();
    if (person.events.empty())
        out.line(QStringLiteral("no events of this person are stored"));
    else if (person.hasMore)
        out.line(QStringLiteral("older events are not listed; --limit lists more"));
}

Result<ExitCode> showPerson(Invocation &invocation, const PersonOptions &options)
{
    const QString query = QString::fromStdString(options.query).trimmed();
    if (query.isEmpty())
        return invalid(QStringLiteral("query is empty; write a user id, address, phone number, event, delivery or "
                                      "message id"));
    auto console = invocation.openConsole(store::Access::ReadOnly, Invocation::Keys::Addresses);
    if (!console)
        return console.error();
    const auto person = (*console)->person(query, options.limit);
    if (!person)
        return person.error();
    if (invocation.isJson())
        invocation.out().document(json(*person));
    else
        printPerson(invocation.out(), *person);
    return ExitCode::Done;
}

} // namespace

void addPersonCommands(CommandLine &line)
{
    auto options = std::make_shared<PersonOptions>();
    CLI::App &command = line.add("person", "Everything sent to one person, with what became of it",
                                 [options](Invocation &invocation) { return showPerson(invocation, *options); });
    command
        .add_option("query", options->query,
                    "User id, address, phone number, event id, delivery id or a provider's message id")
        ->required();
    command.add_option("--limit", options->limit, "Events at the most")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
}

} // namespace sendoff::app
