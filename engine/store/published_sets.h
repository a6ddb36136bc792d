#pragma once
#include "domain/catalogue.h"
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::store {

struct PublishedSetRow
{
    qint64 id = 0;
    QString hash;
    QString actor;
    QString note;
    Timestamp publishedAt;
};

// Stores the set as the approved one, unless the newest one has the same hash: then that one is answered. On PostgreSQL
// the login is the actor, and Refused where it is no admin.
Result<PublishedSetRow> publish(Database &database, const PublishedSet &set, const QString &actor, const QString &note);
// Stores the set before the current one again as the newest. NotFound where there is none before.
Result<PublishedSetRow> revertPublication(Database &database, const QString &actor, const QString &note);
// The newest sets first.
Result<std::vector<PublishedSetRow>> publications(Database &database, int limit);
// NotFound where nothing was published yet (id 0: the current one).
Result<PublishedSet> publishedSet(Database &database, qint64 id);
Result<qint64> currentPublishedSet(Database &database); // 0: none

} // namespace sendoff::store
