#include "store/provider_quota.h"

#include "domain/json_document.h"
#include "store/json_rows.h"

#include <algorithm>
#include <cmath>

namespace sendoff::store {

namespace {

constexpr qint64 breakerBase = 15'000;       // milliseconds of the first opening, doubling
constexpr qint64 sliceMicroseconds = 50'000; // a waiting engine comes back for this much worth of tokens
constexpr double climbPerSecond = 0.02;      // of the configured rate: the additive increase after a halving
constexpr qint64 slowestShare = 20;          // the learned rate stays above the configured one divided by this
constexpr qint64 comebackShare = 10;         // where a provider begins that is just back
constexpr qint64 quotaLook = 60'000;         // milliseconds between looks at a quota that is spent

// The configured rate, or a person's while it stands.
const QByteArray ceilingColumn =
    "CASE WHEN override_until > $now THEN COALESCE(override_step_us, step_us) ELSE step_us END";

struct ProviderState
{
    qint64 stepMicroseconds = 0;
    qint64 configuredBurst = 1;
    qint64 burst = 1; // that counts now
    Milliseconds blockedFor{0};
    QString blockedBy;
    bool isProbe = false;    // an open breaker's time is over: one delivery may try
    bool hasPeriods = false; // a daily or monthly limit
};

// The step that holds now: the learned rate, which climbs from its last halving, under the ceiling.
qint64 learnedStep(qint64 ceilingStep, qint64 learned, qint64 ageMs)
{
    if (learned <= ceilingStep || ceilingStep <= 0)
        return ceilingStep;
    const double ceiling = 1'000'000.0 / double(ceilingStep);
    const double rate =
        1'000'000.0 / double(learned) + ceiling * climbPerSecond * double(std::max<qint64>(0, ageMs)) / 1'000;
    return rate >= ceiling ? ceilingStep : qint64(std::ceil(1'000'000.0 / rate));
}

void learn(Session &session, const QString &provider, qint64 step)
{
    session.run("UPDATE sendoff_provider SET learned_step_us = ?, learned_at = $now WHERE name = ?", {step, provider});
}

} // namespace

Result<void> declareProviders(Database &database, const std::vector<ProviderBucket> &providers)
{
    return database.write([&](Session &session) {
        for (const ProviderBucket &provider : providers) {
            const qint64 step =
                provider.ratePerSecond > 0 ? qint64(std::ceil(1'000'000.0 / provider.ratePerSecond)) : 0;
            session.run("INSERT INTO sendoff_provider (name, channel, kind, priority, step_us, burst, daily_limit, "
                        "monthly_limit, cost_micro) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                        "ON CONFLICT (name) DO UPDATE SET channel = excluded.channel, kind = excluded.kind, "
                        "priority = excluded.priority, step_us = excluded.step_us, burst = excluded.burst, "
                        "daily_limit = excluded.daily_limit, monthly_limit = excluded.monthly_limit, "
                        "cost_micro = excluded.cost_micro, changed_at = $now",
                        {provider.name, QString(toText(provider.channel)), provider.kind, provider.priority, step,
                         std::max(1, provider.burst), provider.dailyLimit, provider.monthlyLimit,
                         qint64(std::llround(provider.cost * 1'000'000))});
        }
    });
}

namespace {

Result<ProviderState> providerState(Database &database, const QString &name)
{
    return database.readOnce([&](Session &session) -> Result<ProviderState> {
        Cursor row =
            session.run("SELECT " + ceilingColumn +
                            ", burst, CASE WHEN override_until > $now AND override_step_us > 0 THEN 1 ELSE 0 END, "
                            "CASE WHEN paused = 1 AND (paused_until IS NULL OR paused_until > $now) THEN 1 ELSE 0 END, "
                            "$ms(paused_until) - $ms($now), $ms(throttled_until) - $ms($now), breaker, "
                            "$ms(breaker_until) - $ms($now), "
                            "coalesce(learned_step_us, 0), coalesce($ms($now) - $ms(learned_at), 0), "
                            "CASE WHEN daily_limit > 0 OR monthly_limit > 0 THEN 1 ELSE 0 END "
                            "FROM sendoff_provider WHERE name = ?",
                        {name});
        if (!row.next())
            return Error{ErrorCode::NotFound, QStringLiteral("the store does not know the provider %1").arg(name)};
        ProviderState state;
        state.stepMicroseconds = learnedStep(row.integer(0), row.integer(8), row.integer(9));
        state.hasPeriods = row.flag(10);
        state.configuredBurst = std::max<qint64>(1, row.integer(1));
        state.burst = state.configuredBurst;
        // A lower limit, a person's or a learned one, counts from its first second: the old burst would undo it.
        if ((row.flag(2) || state.stepMicroseconds > row.integer(0)) && state.stepMicroseconds > 0)
            state.burst = std::clamp<qint64>(1'000'000 / state.stepMicroseconds, 1, state.configuredBurst);
        const auto block = [&](const QString &cause, qint64 milliseconds) {
            state.blockedBy = cause;
            state.blockedFor =
                Milliseconds(std::clamp<qint64>(milliseconds, 1, 2'000)); // a person's change counts within two seconds
        };
        if (row.flag(3))
            block(QStringLiteral("paused"), row.isNull(4) ? 2'000 : row.integer(4));
        else if (!row.isNull(5) && row.integer(5) > 0)
            block(QStringLiteral("throttled"), row.integer(5));
        else if (row.text(6) != QLatin1String("closed") && row.integer(7) > 0)
            block(QStringLiteral("breaker"), row.integer(7));
        else
            state.isProbe = row.text(6) != QLatin1String("closed");
        return state;
    });
}

// The fleet's bucket: probes of a half open breaker, then GCRA.
Result<QuotaGrant> takeBucket(Database &database, const QString &provider, const ProviderState &state, int want,
                              int floor)
{
    if (state.isProbe) {
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
    if (state.stepMicroseconds <= 0)
        return QuotaGrant{want, Milliseconds(0), {}};
    const qint64 step = state.stepMicroseconds;
    // GCRA in one UPDATE of one row: computed from a sub-select it would lose updates. M = max(tat, now), and at most
    // an empty bucket: what lies further ahead was taken at a slower rate that holds no more. available = (now + burst
    // * step - M) / step.
    const QByteArray start = "$least($greatest(tat_us, $now_us), $now_us + ?)";
    const QByteArray available = "(($now_us + ? - " + start + ") / ? - ?)";
    const QByteArray granted =
        "CASE WHEN " + available + " < 0 THEN 0 WHEN " + available + " < ? THEN " + available + " ELSE ? END";
    const qint64 reserved = floor * state.burst / state.configuredBurst;
    const qint64 whole = state.burst * step;
    const QVariantList availableValues{whole, whole, step, reserved};
    QVariantList grantedValues = availableValues + availableValues;
    grantedValues << want;
    grantedValues += availableValues;
    grantedValues << want;
    QVariantList values{whole};
    values += grantedValues;
    values << step;
    values += grantedValues;
    values << provider;
    return database.write([&](Session &session) -> Result<QuotaGrant> {
        Cursor row =
            session.run("UPDATE sendoff_provider SET tat_us = " + start + " + (" + granted +
                            ") * ?, granted = " + granted + " WHERE name = ? RETURNING granted, tat_us - $now_us",
                        values);
        if (!row.next())
            return Error{ErrorCode::NotFound, QStringLiteral("the store does not know the provider %1").arg(provider)};
        QuotaGrant grant;
        grant.granted = int(row.integer(0));
        const qint64 chunk = std::clamp<qint64>(sliceMicroseconds / step, 1, std::max(1, want));
        const qint64 wait = row.integer(1) + (chunk + reserved - state.burst) * step;
        grant.wait = Milliseconds(std::clamp<qint64>((wait + 999) / 1000, 0, 2'000));
        return grant;
    });
}

// What a day's and a month's limit leave of `want`, counted as used: what is granted is sent at once. The counts begin
// again with the database's UTC day and month.
Result<QuotaGrant> takePeriods(Database &database, const QString &provider, int want)
{
    return database.write([&](Session &session) -> QuotaGrant {
        Cursor row = session.run("SELECT day, day_used, month_used, daily_limit, monthly_limit, $ms($now) "
                                 "FROM sendoff_provider WHERE name = ? $lock",
                                 {provider});
        if (!row.next())
            return {};
        const QString today = toRfc3339(row.time(5)).left(10);
        const qint64 dayUsed = row.text(0) == today ? row.integer(1) : 0;
        const qint64 monthUsed = row.text(0).left(7) == today.left(7) ? row.integer(2) : 0;
        const qint64 dayLeft = row.integer(3) > 0 ? row.integer(3) - dayUsed : want;
        const qint64 monthLeft = row.integer(4) > 0 ? row.integer(4) - monthUsed : want;
        const qint64 granted = std::max<qint64>(0, std::min({qint64(want), dayLeft, monthLeft}));
        if (granted == 0)
            return {0, Milliseconds(quotaLook),
                    monthLeft <= 0 ? QStringLiteral("monthly quota") : QStringLiteral("daily quota")};
        session.run("UPDATE sendoff_provider SET day = ?, day_used = ?, month_used = ? WHERE name = ?",
                    {today, dayUsed + granted, monthUsed + granted, provider});
        return {int(granted), Milliseconds(0), {}, today};
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
    if (!state->hasPeriods)
        return takeBucket(database, provider, *state, want, floor);
    Result<QuotaGrant> grant = takeBucket(database, provider, *state, want, floor);
    if (!grant || grant->granted == 0)
        return grant;
    const Result<QuotaGrant> left = takePeriods(database, provider, grant->granted);
    if (!left)
        return left;
    if (left->granted == 0)
        return left;
    grant->granted = left->granted;
    grant->day = left->day;
    return grant;
}

Result<void> giveBackQuota(Database &database, const QString &provider, const QuotaGrant &grant, int unused)
{
    if (grant.day.isEmpty() || unused <= 0)
        return {};
    return database.write([&](Session &session) {
        session.run("UPDATE sendoff_provider SET day_used = $greatest(day_used - ?, 0), "
                    "month_used = $greatest(month_used - ?, 0) WHERE name = ? AND day = ?",
                    {unused, unused, provider, grant.day});
    });
}

Result<SpareQuota> spareQuota(Database &database, const QStringList &providers)
{
    constexpr double windowSeconds = 300;
    JsonRows names;
    for (const QString &provider : providers)
        names.row().text("name", provider);
    return database.readOnce([&](Session &session) {
        SpareQuota spare;
        Cursor row = session.run(
            "SELECT CASE WHEN p.override_until > $now THEN COALESCE(p.override_step_us, p.step_us) ELSE p.step_us END, "
            "(SELECT coalesce(sum(m.count), 0) FROM sendoff_minute m WHERE m.minute > $now_plus(-300000) AND "
            "m.provider = p.name AND m.kind = 'attempt') FROM sendoff_provider p "
            "WHERE p.name $any(SELECT value->>'name' FROM $rows)",
            {names.json()});
        while (row.next()) {
            const qint64 step = row.integer(0);
            if (step <= 0)
                continue;
            spare.isLimited = true;
            spare.perSecond += std::max(0.0, 1'000'000.0 / double(step) - double(row.integer(1)) / windowSeconds);
        }
        return spare;
    });
}

Result<void> throttleProvider(Database &database, const QString &provider, Milliseconds wait)
{
    return database.write([&](Session &session) {
        session.run(
            "UPDATE sendoff_provider SET throttled_until = $greatest(COALESCE(throttled_until, $now), $now_plus(?)), "
            "changed_at = $now WHERE name = ?",
            {qint64(wait.count()), provider});
        qint64 step = 0;
        {
            Cursor row = session.run("SELECT " + ceilingColumn +
                                         ", coalesce(learned_step_us, 0), $ms($now) - $ms(learned_at) "
                                         "FROM sendoff_provider WHERE name = ? $lock",
                                     {provider});
            if (!row.next() || row.integer(0) <= 0 || (!row.isNull(2) && row.integer(2) < 1'000))
                return;
            const qint64 ceiling = row.integer(0);
            const qint64 now = learnedStep(ceiling, row.integer(1), row.isNull(2) ? 0 : row.integer(2));
            step = std::min(now * 2, ceiling * slowestShare);
        }
        learn(session, provider, step);
    });
}

Result<void> tripBreaker(Database &database, const QString &provider, const QString &reason, Milliseconds longest)
{
    return database.write([&](Session &session) {
        qint64 trips = 0;
        {
            Cursor row = session.run("SELECT breaker_trips FROM sendoff_provider WHERE name = ? $lock", {provider});
            if (!row.next())
                return;
            trips = row.integer(0);
        }
        const qint64 openFor = std::min<qint64>(longest.count(), breakerBase << std::min<qint64>(trips, 10));
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
        const int closed =
            session
                .run("UPDATE sendoff_provider SET breaker = 'closed', breaker_trips = 0, breaker_until = "
                     "NULL, breaker_reason = '', changed_at = $now WHERE name = ? AND breaker <> 'closed'",
                     {provider})
                .affected();
        if (closed > 0)
            session.run(
                "UPDATE sendoff_provider SET learned_step_us = step_us * ?, learned_at = $now WHERE name = ? AND "
                "step_us > 0",
                {comebackShare, provider});
    });
}

} // namespace sendoff::store
