#pragma once
#include "domain/result.h"
#include "domain/words.h"
#include "store/database.h"
#include <QStringList>
#include <vector>

namespace sendoff::store {

struct ProviderBucket
{
    QString name;
    QString kind;
    Channel channel = Channel::Email;
    int priority = 1;
    double ratePerSecond = 0; // 0: no limit
    int burst = 1;
    qint64 dailyLimit = 0;   // messages a UTC day; 0: no limit
    qint64 monthlyLimit = 0; // messages a UTC month; 0: no limit
    double cost = 0;         // of one message, in the account's currency; 0: not stated
};
// Makes the fleet's row of each configured provider say what the configuration says; state (bucket, pause, breaker)
// stays.
Result<void> declareProviders(Database &database, const std::vector<ProviderBucket> &providers);

struct QuotaGrant
{
    int granted = 0;
    Milliseconds wait{0}; // until more may be had; 0: at once
    QString blockedBy;    // "paused", "breaker", "throttled", "daily quota", "monthly quota"; empty: nothing
    QString day{};        // of a provider with such a quota: the UTC day that `granted` was counted in
};
// Takes up to `want` tokens of a provider's bucket for the whole fleet (GCRA on one row, the database's clock). They
// must be used at once. `floor` tokens are left in the bucket (the urgent reserve).
Result<QuotaGrant> takeQuota(Database &database, const QString &provider, int want, int floor);
// So many of a grant were not sent after all (another engine took the rows, or the last read kept them back): a day's
// and a month's limit get them back. A request that was made counts, whatever became of it.
Result<void> giveBackQuota(Database &database, const QString &provider, const QuotaGrant &grant, int unused);
// What the limits of these providers, a person's lower ones included, leave beside their use of the last five minutes.
struct SpareQuota
{
    bool isLimited = false; // false: none of them has a limit
    double perSecond = 0;   // summed over those that have one
};
Result<SpareQuota> spareQuota(Database &database, const QStringList &providers);
// The provider asked everybody to wait. It has also said that our rate is too high: the fleet's rate is halved, once a
// second at the most and never below a twentieth, and climbs back to the configured one, or to a person's, by a
// fiftieth of it a second.
Result<void> throttleProvider(Database &database, const QString &provider, Milliseconds wait);
constexpr Milliseconds longestOpen{600'000};      // where a person has to mend something first
constexpr Milliseconds longestOutageOpen{60'000}; // where it comes back by itself, and urgent mail waits for it
// Opens the breaker: 15 s, doubling to `longest`.
Result<void> tripBreaker(Database &database, const QString &provider, const QString &reason,
                         Milliseconds longest = longestOpen);
// Closes it after a success; the rate begins at a tenth and climbs, so that a provider that is just back is not
// overrun by what waited.
Result<void> closeBreaker(Database &database, const QString &provider);

} // namespace sendoff::store
