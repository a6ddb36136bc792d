#include "app/cli/command_line.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "domain/delivery.h"
#include "store/contact_store.h"

#include <QTimeZone>

namespace sendoff::app {

namespace {

// ---- inbox ---------------------------------------------------------------------------------------------------------

struct InboxOptions
{
    std::string user;
    int limit = 50;
};

JsonValue json(const store::InboxMessage &message)
{
    return JsonObject()
        .with("id", message.id)
        .with("type", message.type)
        .with("title", message.title)
        .with("body", message.body)
        .with("link", message.link)
        .with("created_at", message.createdAt)
        .with("read_at", message.readAt)
        .with("archived_at", message.archivedAt);
}

void printInbox(Output &out, const std::vector<store::InboxMessage> &messages)
{
    if (messages.empty())
        out.line(QStringLiteral("the inbox is empty"));
    for (const store::InboxMessage &message : messages) {
        const QString mark = message.archivedAt ? QStringLiteral("archived")
                             : message.readAt   ? QStringLiteral("read")
                                                : QStringLiteral("unread");
        out.line(QStringLiteral("%1  %2  %3")
                     .arg(toRfc3339(message.createdAt), mark.leftJustified(8), out.bold(printable(message.title))));
        for (const QString &line : message.body.split(u'\n', Qt::SkipEmptyParts))
            out.line(QStringLiteral("    ") + printable(line));
        if (!message.link.isEmpty())
            out.line(QStringLiteral("    ") + printable(message.link));
    }
}

Result<ExitCode> showInbox(Invocation &invocation, const InboxOptions &options)
{
    auto database = invocation.openStore(store::Access::ReadOnly);
    if (!database)
        return database.error();
    const auto messages = store::inboxOf(**database, UserId(QString::fromStdString(options.user)), options.limit);
    if (!messages)
        return messages.error();
    if (!invocation.isJson()) {
        printInbox(invocation.out(), *messages);
        return ExitCode::Done;
    }
    std::vector<JsonValue> items;
    for (const store::InboxMessage &message : *messages)
        items.push_back(json(message));
    invocation.out().document(JsonObject().with("messages", JsonValue::array(std::move(items))));
    return ExitCode::Done;
}

// ---- contact -------------------------------------------------------------------------------------------------------

struct ContactOptions
{
    std::string user;
    std::string channel;
    std::string address;
    std::string locale;
    std::string timeZone;
};

Error invalid(const char *message)
{
    return {ErrorCode::Invalid, QString::fromUtf8(message)};
}

Result<Contact> contactOf(const ContactOptions &options)
{
    Contact contact;
    contact.user = UserId(QString::fromStdString(options.user));
    contact.address = QString::fromStdString(options.address).trimmed();
    contact.locale = QString::fromStdString(options.locale);
    contact.timeZone = QString::fromStdString(options.timeZone);
    const auto channel = fromText<Channel>(QString::fromStdString(options.channel));
    if (contact.user.isEmpty() || contact.user.value.size() > 200)
        return invalid("user must have 1 to 200 characters");
    if (!channel || *channel == Channel::Inbox)
        return invalid("channel must be email, sms, push or webhook; the inbox needs no contact");
    contact.channel = *channel;
    if (contact.address.isEmpty() || contact.address.size() > 2000)
        return invalid("address must have 1 to 2000 characters");
    const qsizetype at = contact.address.lastIndexOf(u'@');
    if (*channel == Channel::Email && (at < 1 || at + 1 == contact.address.size()))
        return invalid("address is no email address; write name@domain");
    if (!contact.timeZone.isEmpty() && !QTimeZone::isTimeZoneIdAvailable(contact.timeZone.toUtf8()))
        return invalid("--time-zone is unknown; write an IANA name such as Europe/Berlin");
    return contact;
}

Result<ExitCode> add(Invocation &invocation, const ContactOptions &options)
{
    const auto contact = contactOf(options);
    if (!contact)
        return contact.error();
    auto database = invocation.openStore(store::Access::ReadWrite);
    if (!database)
        return database.error();
    const auto added = store::addContact(**database, *contact, invocation.addressKey());
    if (!added)
        return added.error();
    if (invocation.isJson()) {
        invocation.out().document(JsonObject().with("id", added->id).with("already", added->wasThere));
    } else {
        invocation.out().line(added->id);
        if (added->wasThere)
            complain(QStringLiteral("this person has the address already; nothing was changed"));
    }
    return ExitCode::Done;
}

Result<ExitCode> list(Invocation &invocation, const ContactOptions &options)
{
    auto database = invocation.openStore(store::Access::ReadOnly);
    if (!database)
        return database.error();
    const auto contacts = store::contactsOf(**database, UserId(QString::fromStdString(options.user)));
    if (!contacts)
        return contacts.error();
    // Addresses are shown reduced, as everywhere: showing one in clear is an act of its own.
    if (invocation.isJson()) {
        std::vector<JsonValue> items;
        for (const Contact &each : *contacts) {
            items.push_back(JsonObject()
                                .with("id", each.id)
                                .with("user_id", each.user)
                                .with("channel", each.channel)
                                .with("address_mask", addressTraces(each.channel, each.address).mask)
                                .with("locale", each.locale)
                                .with("time_zone", each.timeZone));
        }
        invocation.out().document(JsonObject().with("contacts", JsonValue::array(std::move(items))));
        return ExitCode::Done;
    }
    Table table({QStringLiteral("CONTACT"), QStringLiteral("CHANNEL"), QStringLiteral("ADDRESS"),
                 QStringLiteral("LOCALE"), QStringLiteral("TIME ZONE")});
    for (const Contact &each : *contacts)
        table.add({each.id, toText(each.channel), addressTraces(each.channel, each.address).mask, each.locale,
                   each.timeZone});
    invocation.out().table(table);
    return ExitCode::Done;
}

} // namespace

void addPeopleCommands(CommandLine &line)
{
    auto inbox = std::make_shared<InboxOptions>();
    CLI::App &messages = line.add("inbox", "A person's in-app messages, newest first",
                                  [inbox](Invocation &invocation) { return showInbox(invocation, *inbox); });
    messages.add_option("user", inbox->user, "User id")->required();
    messages.add_option("--limit", inbox->limit, "Messages at the most")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();

    CLI::App &group = line.addGroup("contact", "How people are reached");
    auto added = std::make_shared<ContactOptions>();
    CLI::App &addition = line.add(group, "add", "Give a person an address",
                                  [added](Invocation &invocation) { return add(invocation, *added); });
    addition.add_option("user", added->user, "User id")->required();
    addition.add_option("channel", added->channel, "email, sms, push or webhook")->required();
    addition.add_option("address", added->address, "Address, phone number, device token or URL")->required();
    addition.add_option("--locale", added->locale, "Language, e.g. de-AT");
    addition.add_option("--time-zone", added->timeZone, "IANA name, e.g. Europe/Berlin");
    auto listed = std::make_shared<ContactOptions>();
    line.add(group, "list", "A person's addresses, masked",
             [listed](Invocation &invocation) { return list(invocation, *listed); })
        .add_option("user", listed->user, "User id")
        ->required();
}

} // namespace sendoff::app
