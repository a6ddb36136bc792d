#include "store/provider_quota.h"

#include "domain/json_document.h"

#include <algorithm>
#include <cmath>

namespace sendoff::store {

namespace {

constexpr qint64 breakerBase = 15'000; // milliseconds of the first opening, doubling
constexpr qint64 breakerMax = 600'000;
constexpr qint64 sliceMicroseconds = 50'000; // a waiting engine comes back for this much worth of tokens

struct ProviderState
{
    qint64 stepMicroseconds = 0;
    qint64 burst = 1;
    Milliseconds blockedFor{0};
    QString blockedBy;
    bool isProbe = false; // an open breaker's time is over: one delivery may try
};

} // namespace

Result<void> declareProviders(Database &database, const std::vector<ProviderBucket> &providers)
{
    return database.write([&](Session &session) {
        for (const ProviderBucket &provider : providers) {
            const qint64 step =
                provider.ratePerSecond > 0 ? qint64(std::ceil(1'000'000.0 / provider.ratePerSecond)) : 0;
            session.run(
                "INSERT INTO sendoff_provider (name, channel, kind, priority, step_us, burst) VALUES (?, ?, ?, ?, ?, "
                "?) "
                "ON CONFLICT (name) DO UPDATE SET channel = excluded.channel, kind = excluded.kind, "
                "priority = excluded.priority, step_us = excluded.step_us, burst = excluded.burst, changed_at = $now",
                {provider.name, QString(toText(provider.channel)), provider.kind, provider.priority, step,
                 std::max(1, provider.burst)});
        }
    });
}

namespace {

Result<ProviderState> providerState(Database &database, const QString &name)
{
    return database.readOnce([&](Session &session) -> Result<ProviderState> {
        Cursor row = session.run(
            "SELECT CASE WHEN override_until > $now THEN COALESCE(override_step_us, step_us) ELSE step_us END, burst, "
            "CASE WHEN paused = 1 AND (paused_until IS NULL OR paused_until > $now) THEN 1 ELSE 0 END, "
            "$ms(paused_until) - $ms($now), $ms(throttled_until) - $ms($now), breaker, $ms(breaker_until) - $ms($now) "
            "FROM sendoff_provider WHERE name = ?",
            {name});
        if (!row.next())
            return Error{ErrorCode::NotFound, QStringLiteral("the store does not know the provider %1").arg(name)};
        ProviderState state;
        state.stepMicroseconds = row.integer(0);
        state.burst = row.integer(1);
        const auto block = [&](const QString &cause, qint64 milliseconds) {
            state.blockedBy = cause;
            state.blockedFor =
                Milliseconds(std::clamp<qint64>(milliseconds, 1, 2'000)); // a person's change counts within two seconds
        };
        if (row.flag(2))
            block(QStringLiteral("paused"), row.isNull(3) ? 2'000 : row.integer(3));
        else if (!row.isNull(4) && row.integer(4) > 0)
            block(QStringLiteral("throttled"), row.integer(4));
        else if (row.text(5) != QLatin1String("closed") && row.integer(6) > 0)
            block(QStringLiteral("breaker"), row.integer(6));
        else
            state.isProbe = row.text(5) != QLatin1String("closed");
        return state;
    });
}

} // namespace

Result<QuotaGrant> takeQuota(Database &database, const QString &provider, int want, int floor)
{
    const Result<ProviderState> state = providerState(database, provider);
    if (!state)
        return state.error();
    if (!state->blockedBy.isEmpty())
        return QuotaGrant{0, state->blockedFor, state->blockedBy};
    if (state->isProbe) {
        // Half open: one engine wins this update and sends one delivery; the others wait for its result.
        const Result<bool> isMine = database.write([&](Session &session) {
            return session
                       .run("UPDATE sendoff_provider SET breaker = 'half_open', breaker_until = $now_plus(?) "
                            "WHERE name = ? AND breaker <> 'closed' AND breaker_until <= $now",
                            {breakerBase, provider})
                       .affected() > 0;
        });
        if (!isMine)
            return isMine.error();
        return QuotaGrant{*isMine ? 1 : 0, Milliseconds(500), QStringLiteral("breaker")};
    }
    if (state->stepMicroseconds <= 0)
        return QuotaGrant{want, Milliseconds(0), {}};
    const qint64 step = state->stepMicroseconds;
    // GCRA in one UPDATE of one row: computed from a sub-select it would lose updates. M = max(tat, now);
    // available = (now + burst * step - M) / step.
    const QByteArray start = "CASE WHEN tat_us > $now_us THEN tat_us ELSE $now_us END";
    const QByteArray available = "(($now_us + burst * ? - " + start + ") / ? - ?)";
    const QByteArray granted =
        "CASE WHEN " + available + " < 0 THEN 0 WHEN " + available + " < ? THEN " + available + " ELSE ? END";
    const QVariantList availableValues{step, step, floor};
    QVariantList grantedValues = availableValues + availableValues;
    grantedValues << want;
    grantedValues += availableValues;
    grantedValues << want;
    QVariantList values = grantedValues;
    values << step;
    values += grantedValues;
    values << provider;
    return database.write([&](Session &session) -> Result<QuotaGrant> {
        Cursor row = session.run("UPDATE sendoff_provider SET tat_us = " + start + " + (" + granted +
                                     ") * ?, granted = " + granted +
                                     " WHERE name = ? RETURNING granted, tat_us - $now_us, burst",
                                 values);
        if (!row.next())
            return Error{ErrorCode::NotFound, QStringLiteral("the store does not know the provider %1").arg(provider)};
        QuotaGrant grant;
        grant.granted = int(row.integer(0));
        const qint64 chunk = std::clamp<qint64>(sliceMicroseconds / step, 1, std::max(1, want));
        const qint64 wait = row.integer(1) + (chunk + floor - row.integer(2)) * step;
        grant.wait = Milliseconds(std::clamp<qint64>((wait + 999) / 1000, 0, 2'000));
        return grant;
    });
}

Result<void> throttleProvider(Database &database, const QString &provider, Milliseconds wait)
{
    return database.write([&](Session &session) {
        session.run(
            "UPDATE sendoff_provider SET throttled_until = $greatest(COALESCE(throttled_until, $now), $now_plus(?)), "
            "changed_at = $now WHERE name = ?",
            {qint64(wait.count()), provider});
    });
}

Result<void> tripBreaker(Database &database, const QString &provider, const QString &reason)
{
    return database.write([&](Session &session) {
        qint64 trips = 0;
        {
            Cursor row = session.run("SELECT breaker_trips FROM sendoff_provider WHERE name = ? $lock", {provider});
            if (!row.next())
                return;
            trips = row.integer(0);
        }
        const qint64 openFor = std::min(breakerMax, breakerBase << std::min<qint64>(trips, 10));
        // Open already: the requests that were in flight then don't count as further trips.
        session.run("UPDATE sendoff_provider SET breaker = 'open', breaker_trips = breaker_trips + 1, breaker_until = "
                    "$now_plus(?), "
                    "breaker_reason = ?, changed_at = $now WHERE name = ? AND breaker <> 'open'",
                    {openFor, storableText(reason, 300), provider});
    });
}

Result<void> closeBreaker(Database &database, const QString &provider)
{
    return database.write([&](Session &session) {
        session.run("UPDATE sendoff_provider SET breaker = 'closed', breaker_trips = 0, breaker_until = NULL, "
                    "breaker_reason = '', "
                    "changed_at = $now WHERE name = ? AND breaker <> 'closed'",
                    {provider});
    });
}

} // namespace sendoff::store
