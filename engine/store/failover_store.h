#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include "domain/words.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

struct Failover
{
    Channel channel = Channel::Email;
    QString from;
    QString to;
    QString reason;
    QString engine;
    Lane lane = Lane::Normal; // whose rows; not recorded
};
// Gives ready rows of a provider that can't send to another one of its channel, oldest in the queue first; answers how
// many. Never a row with an unresolved Unknown: the first provider may have it. The frozen bytes go, since they are the
// first provider's, and so does the start of its key's time. The switch is recorded, one record for what an engine
// moves within a minute, and each row says where it came from.
Result<int> failOver(Database &database, const Failover &failover, int limit);

struct FailoverRow
{
    Timestamp at;
    Failover failover;
    qint64 rows = 0;
};
Result<std::vector<FailoverRow>> failovers(Database &database, int limit); // newest first, limit 1…1000

// Of these providers the ones that may be sent through now: closed breaker, no pause.
Result<QStringList> sendableProviders(Database &database, const QStringList &providers);

} // namespace sendoff::store
