#include "app/cli/people_store.h"

namespace sendoff::app {

Result<std::vector<InboxMessage>> inboxOf(store::Database &database, const UserId &user, int limit)
{
    return database.read([&](store::Session &session) {
        std::vector<InboxMessage> messages;
        store::Cursor row = session.run("SELECT id, type, title, body, link, $ms(created_at), $ms(read_at), "
                                        "$ms(archived_at) FROM sendoff_inbox WHERE user_id = ? "
                                        "ORDER BY created_at DESC, id DESC LIMIT ?",
                                        {user.value, limit});
        while (row.next()) {
            messages.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.time(5),
                                row.maybeTime(6), row.maybeTime(7)});
        }
        return messages;
    });
}

Result<std::vector<Contact>> contactsOf(store::Database &database, const UserId &user)
{
    return database.read([&](store::Session &session) {
        std::vector<Contact> contacts;
        store::Cursor row = session.run("SELECT id, user_id, channel, address, locale, time_zone FROM sendoff_contact "
                                        "WHERE user_id = ? AND disabled_at IS NULL ORDER BY created_at, id",
                                        {user.value});
        while (row.next()) {
            if (const auto channel = fromText<Channel>(row.text(2)))
                contacts.push_back({row.text(0), UserId(row.text(1)), *channel, row.text(3), row.text(4), row.text(5)});
        }
        return contacts;
    });
}

Result<AddedContact> addContact(store::Database &database, const Contact &contact)
{
    return database.write([&](store::Session &session) -> Result<AddedContact> {
        {
            store::Cursor there =
                session.run("SELECT id FROM sendoff_contact WHERE user_id = ? AND channel = ? AND address = ? "
                            "AND disabled_at IS NULL",
                            {contact.user.value, QString(toText(contact.channel)), contact.address});
            if (there.next())
                return AddedContact{there.text(0), true};
        }
        store::Cursor row = session.run(
            "INSERT INTO sendoff_contact (user_id, channel, address, locale, time_zone) "
            "VALUES (?, ?, ?, ?, ?) RETURNING id",
            {contact.user.value, QString(toText(contact.channel)), contact.address, contact.locale, contact.timeZone});
        row.next();
        return AddedContact{row.text(0), false};
    });
}

} // namespace sendoff::app
