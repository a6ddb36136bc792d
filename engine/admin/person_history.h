#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::admin {

// What was sent to one person and what was not, and why: by user id, email address, phone number, event id, provider
// message id or delivery id. Blocking, read-only. `hashKey` is the key of address hashes (empty on stores without one);
// `limit` 1…1000 events. NotFound.
Result<PersonRecord> personHistory(store::Database &database, const QString &query, const QByteArray &hashKey,
                                   int limit);

} // namespace sendoff::admin
