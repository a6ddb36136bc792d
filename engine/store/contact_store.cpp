#include "store/contact_store.h"

#include "domain/catalogue.h"
#include "domain/delivery.h"
#include "store/bound_text.h"

namespace sendoff::store {

namespace {

std::optional<Error> problemOf(const Contact &contact)
{
    if (contact.user.isEmpty() || contact.user.value.size() > 200)
        return Error{ErrorCode::Invalid, QStringLiteral("user must have 1 to 200 characters")};
    if (contact.channel == Channel::Inbox)
        return Error{ErrorCode::Invalid, QStringLiteral("channel inbox needs no contact: every user has an inbox")};
    if (contact.address.trimmed().isEmpty() || contact.address.size() > 2'000)
        return Error{ErrorCode::Invalid, QStringLiteral("address must have 1 to 2000 characters")};
    return std::nullopt;
}

} // namespace

Result<std::vector<Contact>> contactsOf(Database &database, const UserId &user)
{
    return database.read([&](Session &session) {
        std::vector<Contact> contacts;
        Cursor row = session.run("SELECT id, user_id, channel, address, locale, time_zone FROM sendoff_contact "
                                 "WHERE user_id = ? AND disabled_at IS NULL ORDER BY created_at, id",
                                 {user.value});
        while (row.next()) {
            if (const auto channel = fromText<Channel>(row.text(2)))
                contacts.push_back({row.text(0), UserId(row.text(1)), *channel, row.text(3), row.text(4), row.text(5)});
        }
        return contacts;
    });
}

Result<AddedContact> addContact(Database &database, const Contact &contact, const QByteArray &hashKey)
{
    if (const auto problem = problemOf(contact))
        return *problem;
    const QString channel = toText(contact.channel);
    return database.write([&](Session &session) -> Result<AddedContact> {
        {
            Cursor there =
                session.run("SELECT id FROM sendoff_contact WHERE user_id = ? AND channel = ? AND address = ? "
                            "AND disabled_at IS NULL",
                            {contact.user.value, channel, contact.address});
            if (there.next())
                return AddedContact{there.text(0), true};
        }
        Cursor row = session.run(
            "INSERT INTO sendoff_contact (user_id, channel, address, address_hash, locale, time_zone) "
            "VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
            {contact.user.value, channel, contact.address, addressHash(contact.channel, contact.address, hashKey),
             boundText(contact.locale), boundText(contact.timeZone)});
        row.next();
        return AddedContact{row.text(0), false};
    });
}

Result<void> disableContact(Database &database, const QString &id, const QString &reason)
{
    const auto disabled = database.write([&](Session &session) {
        return session
            .run("UPDATE sendoff_contact SET disabled_at = $now, disabled_reason = ? WHERE id = ? AND disabled_at IS "
                 "NULL",
                 {boundText(reason), id})
            .affected();
    });
    if (!disabled)
        return disabled.error();
    if (*disabled == 0)
        return Error{ErrorCode::NotFound, QStringLiteral("there is no contact in use with this id")};
    return {};
}

Result<std::vector<Preference>> preferencesOf(Database &database, const UserId &user)
{
    return database.read([&](Session &session) {
        std::vector<Preference> preferences;
        Cursor row = session.run(
            "SELECT category, channel, allowed, set_by, $ms(set_at) FROM sendoff_preference WHERE user_id = ? "
            "ORDER BY category, channel",
            {user.value});
        while (row.next()) {
            if (const auto channel = fromText<Channel>(row.text(1)))
                preferences.push_back({row.text(0), *channel, row.flag(2), row.text(3), row.time(4)});
        }
        return preferences;
    });
}

Result<void> setPreference(Database &database, const UserId &user, const QString &category, Channel channel,
                           bool isAllowed, const QString &setBy)
{
    if (category == securityCategory)
        return Error{ErrorCode::Refused, QStringLiteral("the category security can't be switched off")};
    if (user.isEmpty() || category.isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("user and category must not be empty")};
    return database.write([&](Session &session) {
        session.run("INSERT INTO sendoff_preference (user_id, category, channel, allowed, set_by) VALUES (?, ?, ?, "
                    "CAST(? AS smallint), ?) "
                    "ON CONFLICT (user_id, category, channel) DO UPDATE SET allowed = excluded.allowed, set_by = "
                    "excluded.set_by, "
                    "set_at = $now",
                    {user.value, category, QString(toText(channel)), int(isAllowed), boundText(setBy)});
    });
}

Result<std::vector<InboxMessage>> inboxOf(Database &database, const UserId &user, int limit)
{
    return database.read([&](Session &session) {
        std::vector<InboxMessage> messages;
        Cursor row = session.run(
            "SELECT id, type, title, body, link, $ms(created_at), $ms(read_at), $ms(archived_at) FROM sendoff_inbox "
            "WHERE user_id = ? ORDER BY created_at DESC, id DESC LIMIT ?",
            {user.value, limit});
        while (row.next()) {
            messages.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.time(5),
                                row.maybeTime(6), row.maybeTime(7)});
        }
        return messages;
    });
}

} // namespace sendoff::store
