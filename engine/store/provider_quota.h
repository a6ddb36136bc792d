#pragma once
#include "domain/result.h"
#include "domain/words.h"
#include "store/database.h"
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
};
// Makes the fleet's row of each configured provider say what the configuration says; state (bucket, pause, breaker)
// stays.
Result<void> declareProviders(Database &database, const std::vector<ProviderBucket> &providers);

struct QuotaGrant
{
    int granted = 0;
    Milliseconds wait{0}; // until more may be had; 0: at once
    QString blockedBy;    // "paused", "breaker", "throttled"; empty: nothing
};
// Takes up to `want` tokens of a provider's bucket for the whole fleet (GCRA on one row, the database's clock). They
// must be used at once. `floor` tokens are left in the bucket (the urgent reserve).
Result<QuotaGrant> takeQuota(Database &database, const QString &provider, int want, int floor);
// The provider asked everybody to wait.
Result<void> throttleProvider(Database &database, const QString &provider, Milliseconds wait);
// Opens the breaker after a configuration error: 15 s doubling to 10 min, or closes it after a success.
Result<void> tripBreaker(Database &database, const QString &provider, const QString &reason);
Result<void> closeBreaker(Database &database, const QString &provider);

} // namespace sendoff::store
