#pragma once
#include "domain/clock.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <QString>
#include <vector>

namespace sendoff::store {

// What people did. Each row holds the hash of the one before, so that a change or a gap shows. This proves accidents
// and honest tools' work; who may write to the table could still rewrite the whole chain.
struct AuditEntry
{
    QString actor;
    QString action; // "retry", "undo", "publish"
    QString object; // "operation 5", "set 3"
    QString detail; // no secret, no address
};

struct AuditCheck
{
    qint64 rows = 0;        // looked at
    qint64 firstBroken = 0; // id of the first row that does not fit the one before or itself; 0: all fit
};

// Appends within the caller's transaction, so that deed and record commit together. Call it last: on PostgreSQL it
// holds the chain's lock to the commit, and only the store's owner and engines may call it (people's deeds are written
// down by the checked functions).
void appendAudit(Session &session, const AuditEntry &entry);
// The newest first; limit 1…1000.
Result<std::vector<AuditRecord>> auditRows(Database &database, qint64 beforeId, int limit);
Result<AuditCheck> checkAudit(Database &database);

} // namespace sendoff::store
