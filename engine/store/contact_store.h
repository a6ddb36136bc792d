#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include "domain/routing.h"
#include "store/database.h"
#include <optional>
#include <vector>

namespace sendoff::store {

// What the store holds of one person: addresses, choices and the in-app inbox.

// The addresses in use, oldest first.
Result<std::vector<Contact>> contactsOf(Database &database, const UserId &user);

struct AddedContact
{
    QString id;
    bool wasThere = false; // the person has this address on this channel already; nothing was changed
};
// Invalid: no user, the inbox (which needs no address), an empty or overlong address.
// `hashKey` is the key of address hashes, empty on stores without one.
Result<AddedContact> addContact(Database &database, const Contact &contact, const QByteArray &hashKey);
// Takes an address out of use; its row stays for the history. NotFound where it is not in use.
Result<void> disableContact(Database &database, const QString &id, const QString &reason);

struct Preference
{
    QString category;
    Channel channel = Channel::Email;
    bool isAllowed = true;
    QString setBy;
    Timestamp setAt;
};
Result<std::vector<Preference>> preferencesOf(Database &database, const UserId &user);
// A person's choice, from now on. Refused for the category "security".
Result<void> setPreference(Database &database, const UserId &user, const QString &category, Channel channel,
                           bool isAllowed, const QString &setBy);

// A message in a person's in-app inbox.
struct InboxMessage
{
    QString id; // the delivery's
    QString type;
    QString title;
    QString body;
    QString link;
    Timestamp createdAt;
    std::optional<Timestamp> readAt;
    std::optional<Timestamp> archivedAt;
};
// Newest first.
Result<std::vector<InboxMessage>> inboxOf(Database &database, const UserId &user, int limit);

} // namespace sendoff::store
