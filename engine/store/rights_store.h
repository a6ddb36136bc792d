#pragma once
#include "domain/ids.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::store {

// Who may do what. PostgreSQL enforces it by roles, column privileges and checked functions; on SQLite whoever owns the
// file may do everything, and the audit is a convenience.

Result<RightsRecord> rightsOf(Database &database);
// The SQL that makes the group roles (sendoff_producer, _engine, _viewer, _support, _operator, _admin) and grants each
// what it needs in this store's schema; run by the owner as one transaction, repeatable. Refused on SQLite.
Result<QByteArray> rolesSql(const StoreUrl &url);
// Runs it. Refused on SQLite, and where the login is not the tables' owner.
Result<void> applyRoles(Database &database);

// Address and payload in clear. The request is stored and audited in a transaction of its own, so that no rollback can
// hide it; the answer needs one's own committed, unanswered request of the last minute. Refused: no right, no reason.
Result<RevealedRecord> reveal(Database &database, const DeliveryId &id, const QString &reason, const QString &actor);

} // namespace sendoff::store
