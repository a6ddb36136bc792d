#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::store {

// What somebody typed to find one person: a user id, a delivery's, event's or message's id, or an address, of which
// only the hashes are given (of every channel and spelling it may mean).
struct PersonQuery
{
    QString text;
    QStringList addressHashes;
};

// One person's contacts, choices, suppressions, deliveries by event, newest first, and notes; verdicts are admin's.
// An event or address that belongs to several people answers its own deliveries with an empty user. At most `limit`
// events; reads no address and no payload. NotFound.
Result<PersonRecord> readPerson(Database &database, const PersonQuery &query, int limit);

} // namespace sendoff::store
