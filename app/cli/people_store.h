#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include "domain/routing.h"
#include "store/database.h"
#include <optional>
#include <vector>

namespace sendoff::app {

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
Result<std::vector<InboxMessage>> inboxOf(store::Database &database, const UserId &user, int limit);
// The addresses in use, oldest first.
Result<std::vector<Contact>> contactsOf(store::Database &database, const UserId &user);

struct AddedContact
{
    QString id;
    bool wasThere = false; // the person has this address on this channel already; nothing was changed
};
Result<AddedContact> addContact(store::Database &database, const Contact &contact);

} // namespace sendoff::app
