#include "store/status_queries.h"

#include "store/pause_store.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace sendoff::store {

namespace {

constexpr qint64 recentMs = 15 * 60'000;

qint64 number(Session &session, const char *sql, const QVariantList &values = {})
{
    Cursor row = session.run(sql, values);
    return row.next() ? row.integer(0) : 0;
}

void readEvents(Session &session, StatusRecord &status)
{
    status.pendingEvents = number(session, "SELECT count(*) FROM sendoff_event WHERE state = 'pending'");
    status.rejectedEvents = number(
        session, "SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_event WHERE state = 'rejected' LIMIT ?) AS few",
        {countCap});
    // The smallest of all available_at would read every pending row; events are written in nearly this order.
    Cursor row = session.run("SELECT $ms($now) - $ms(min(available_at)) FROM (SELECT available_at FROM sendoff_event "
                             "WHERE state = 'pending' "
                             "ORDER BY sequence LIMIT 1000) AS oldest WHERE available_at <= $now");
    if (row.next() && !row.isNull(0))
        status.oldestPendingAge = Milliseconds(std::max<qint64>(0, row.integer(0)));
}

// Up to so many live rows are counted exactly, one by one; beyond, only what an index gives.
constexpr qint64 maxExactRows = 20'000;
constexpr qint64 maxReadyRows = 100'000; // of one lane of one provider
constexpr qint64 maxSampledRows = 30'000;

using QueueKey = std::tuple<QString, QString, QString>; // channel, provider, lane: the order of the list
using Queues = std::map<QueueKey, BacklogRecord>;

BacklogRecord &queue(Queues &queues, const QString &provider, const QString &channel, const QString &lane)
{
    BacklogRecord &backlog = queues[{channel, provider, lane}];
    backlog.provider = provider;
    backlog.channel = fromText<Channel>(channel).value_or(Channel::Email);
    backlog.lane = fromText<Lane>(lane).value_or(Lane::Normal);
    return backlog;
}

void setOldest(BacklogRecord &backlog, const Cursor &row, int column)
{
    if (row.isNull(column))
        return;
    const Milliseconds age(std::max<qint64>(0, row.integer(column)));
    backlog.oldestAge = std::max(backlog.oldestAge.value_or(age), age);
}

void countAllRows(Session &session, Queues &queues)
{
    Cursor row = session.run(
        "SELECT provider, channel, lane, sum(CASE WHEN state = 'ready' THEN 1 ELSE 0 END), "
        "sum(CASE WHEN state = 'scheduled' THEN 1 ELSE 0 END), sum(CASE WHEN state = 'leased' THEN 1 ELSE 0 END), "
        "sum(CASE WHEN state = 'held' THEN 1 ELSE 0 END), "
        "$ms($now) - $ms(min(CASE WHEN state = 'ready' THEN due_at END)) "
        "FROM sendoff_delivery_hot GROUP BY provider, channel, lane");
    while (row.next()) {
        BacklogRecord &backlog = queue(queues, row.text(0), row.text(1), row.text(2));
        backlog.waiting = row.integer(3);
        backlog.scheduled = row.integer(4);
        backlog.inFlight = row.integer(5);
        backlog.held = row.integer(6);
        setOldest(backlog, row, 7);
    }
}

// Providers with ready rows and their channels, by skipping from one to the next in the index of ready rows.
std::vector<std::pair<QString, QString>> waitingProviders(Session &session)
{
    std::vector<std::pair<QString, QString>> providers;
    Cursor row = session.run(
        "WITH RECURSIVE names(name) AS (SELECT min(provider) FROM sendoff_delivery_hot WHERE state = 'ready' AND "
        "losses "
        "= 0 UNION ALL SELECT (SELECT min(d.provider) FROM sendoff_delivery_hot d WHERE d.state = 'ready' AND d.losses "
        "= 0 AND d.provider > names.name) FROM names WHERE names.name IS NOT NULL) "
        "SELECT name, (SELECT d.channel FROM sendoff_delivery_hot d WHERE d.provider = name AND d.state = 'ready' AND "
        "d.losses = 0 LIMIT 1) FROM names WHERE name IS NOT NULL LIMIT 200");
    while (row.next())
        providers.emplace_back(row.text(0), row.text(1));
    return providers;
}

void countReadyRows(Session &session, Queues &queues)
{
    for (const auto &[provider, channel] : waitingProviders(session)) {
        for (const Lane lane : {Lane::Urgent, Lane::Normal, Lane::Bulk}) {
            const QVariantList which{provider, QString(toText(lane))};
            qint64 waiting = 0;
            {
                Cursor row =
                    session.run("SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_delivery_hot WHERE provider = ? AND "
                                "lane = ? AND state = 'ready' AND losses = 0 LIMIT ?) AS few",
                                which + QVariantList{maxReadyRows});
                row.next();
                waiting = row.integer(0);
            }
            if (waiting == 0)
                continue;
            BacklogRecord &backlog = queue(queues, provider, channel, toText(lane));
            backlog.waiting = waiting;
            // Fair queueing keeps every tenant's next row near the head, and a tenant's oldest row is its next one.
            Cursor row =
                session.run("SELECT $ms($now) - $ms(min(due_at)) FROM (SELECT due_at FROM sendoff_delivery_hot "
                            "WHERE provider = ? AND lane = ? AND state = 'ready' AND losses = 0 "
                            "ORDER BY vstart, id LIMIT 1000) AS head",
                            which);
            if (row.next())
                setOldest(backlog, row, 0);
        }
    }
}

// Rows of one index, the first of it, by queue.
void countSome(Session &session, Queues &queues, const char *condition, qint64 BacklogRecord::*number, qint64 cap)
{
    Cursor row = session.run(
        QByteArray("SELECT provider, channel, lane, count(*), $ms($now) - $ms(min(due_at)) FROM ("
                   "SELECT provider, channel, lane, due_at, state FROM sendoff_delivery_hot WHERE ") +
            condition + " LIMIT ?) AS bounded " + (number == &BacklogRecord::held ? "WHERE state = 'held' " : "") +
            "GROUP BY provider, channel, lane",
        {maxSampledRows});
    while (row.next()) {
        BacklogRecord &backlog = queue(queues, row.text(0), row.text(1), row.text(2));
        backlog.*number = std::min(backlog.*number + row.integer(3), cap);
        if (number == &BacklogRecord::waiting)
            setOldest(backlog, row, 4);
    }
}

void readBacklog(Session &session, StatusRecord &status)
{
    Queues queues;
    const qint64 rows = number(
        session, "SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_delivery_hot LIMIT ?) AS few", {maxExactRows + 1});
    if (rows <= maxExactRows) {
        countAllRows(session, queues);
    } else {
        constexpr qint64 none = std::numeric_limits<qint64>::max();
        countReadyRows(session, queues);
        countSome(session, queues, "state = 'ready' AND losses > 0", &BacklogRecord::waiting, none);
        countSome(session, queues, "state = 'leased'", &BacklogRecord::inFlight, none);
        countSome(session, queues, "state = 'scheduled' ORDER BY due_at", &BacklogRecord::scheduled, countCap);
        countSome(session, queues, "state IN ('scheduled', 'ready', 'held') ORDER BY expires_at", &BacklogRecord::held,
                  countCap);
    }
    for (auto &[key, backlog] : queues)
        status.backlog.push_back(std::move(backlog));
}

void readProviders(Session &session, StatusRecord &status)
{
    Cursor row = session.run(
        "SELECT name, kind, channel, CASE WHEN override_until > $now THEN override_step_us ELSE step_us END, "
        "CASE WHEN paused = 1 AND (paused_until IS NULL OR paused_until > $now) THEN 1 ELSE 0 END, pause_reason, "
        "$ms(paused_until), "
        "$ms(CASE WHEN throttled_until > $now THEN throttled_until END), breaker, breaker_reason, $ms(breaker_until), "
        "CASE WHEN override_until > $now THEN override_step_us END, "
        "$ms(CASE WHEN override_until > $now THEN override_until END) "
        "FROM sendoff_provider ORDER BY name");
    while (row.next()) {
        ProviderRecord provider;
        provider.name = row.text(0);
        provider.kind = row.text(1);
        provider.channel = fromText<Channel>(row.text(2)).value_or(Channel::Email);
        const qint64 step = row.integer(3);
        provider.limitPerSecond = step > 0 ? 1'000'000.0 / double(step) : 0;
        provider.paused = row.flag(4);
        if (provider.paused) {
            provider.pauseReason = row.text(5);
            provider.pausedUntil = row.maybeTime(6);
        }
        provider.throttledUntil = row.maybeTime(7);
        provider.breaker = row.text(8);
        provider.breakerReason = row.text(9);
        provider.breakerUntil = row.maybeTime(10);
        if (!row.isNull(11)) {
            provider.overridePerSecond = row.integer(11) > 0 ? 1'000'000.0 / double(row.integer(11)) : 0;
            provider.overrideUntil = row.maybeTime(12);
        }
        status.providers.push_back(std::move(provider));
    }
}

// What the last whole minutes say of each provider, up to five and the present one.
void readTraffic(Session &session, StatusRecord &status)
{
    for (ProviderRecord &provider : status.providers) {
        for (const BacklogRecord &backlog : status.backlog)
            provider.inFlight += backlog.provider == provider.name ? backlog.inFlight : 0;
    }
    const Timestamp from = std::chrono::ceil<std::chrono::minutes>(status.now - std::chrono::minutes(5));
    const double seconds = std::max(1.0, double((status.now - from).count()) / 1'000);
    Cursor row = session.run("SELECT provider, sum(count), sum(CASE WHEN word = 'throttled' THEN count ELSE 0 END), "
                             "sum(CASE WHEN word IN ('accepted', 'throttled') THEN 0 ELSE count END) "
                             "FROM sendoff_minute WHERE minute >= $at(?) AND kind = 'attempt' GROUP BY provider",
                             {qint64(from.time_since_epoch().count())});
    while (row.next()) {
        for (ProviderRecord &provider : status.providers) {
            if (provider.name != row.text(0))
                continue;
            provider.attempts = row.integer(1);
            provider.throttled = row.integer(2);
            provider.failed = row.integer(3);
            provider.usedPerSecond = double(provider.attempts) / seconds;
        }
    }
}

void readEngines(Session &session, StatusRecord &status)
{
    Cursor row = session.run(
        "SELECT id, name, host, pid, version, $ms(started_at), $ms(heartbeat_at), "
        "CASE WHEN stopped_at IS NULL AND heartbeat_at > $now_plus(-60000) THEN 1 ELSE 0 END, skew_ms, in_flight "
        "FROM sendoff_engine WHERE (stopped_at IS NULL AND heartbeat_at > $now_plus(-3600000)) "
        "OR stopped_at > $now_plus(-3600000) ORDER BY name, started_at");
    while (row.next()) {
        EngineRecord engine;
        engine.id = row.text(0);
        engine.name = row.text(1);
        engine.host = row.text(2);
        engine.pid = row.integer(3);
        engine.version = row.text(4);
        engine.startedAt = row.time(5);
        engine.heartbeatAt = row.time(6);
        engine.isAlive = row.flag(7);
        engine.skew = Milliseconds(row.integer(8));
        engine.inFlight = int(row.integer(9));
        status.engines.push_back(std::move(engine));
    }
}

qint64 endedAs(Session &session, const QString &state)
{
    return number(session,
                  "SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_delivery_history WHERE state = ? LIMIT ?) AS few",
                  {state, countCap});
}

} // namespace

Result<StatusFacts> readStatus(Database &database)
{
    auto pauses = activePauses(database);
    if (!pauses)
        return pauses.error();
    return database.read([&](Session &session) {
        StatusFacts facts;
        StatusRecord &status = facts.record;
        {
            Cursor now = session.run("SELECT $ms($now)");
            now.next();
            status.now = now.time(0);
        }
        readEvents(session, status);
        readBacklog(session, status);
        readProviders(session, status);
        readTraffic(session, status);
        readEngines(session, status);
        status.dead = endedAs(session, toText(DeliveryState::Dead));
        status.unknown = endedAs(session, toText(DeliveryState::Unknown));
        status.pauses = *pauses;
        status.openOperations = number(session, "SELECT count(*) FROM sendoff_operation WHERE state IN ('armed', "
                                                "'running')");
        status.publishedSet = number(session, "SELECT coalesce(max(id), 0) FROM sendoff_published_set");
        constexpr auto recent = "SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_delivery_history WHERE state = ? "
                                "AND ended_at > $now_plus(?) LIMIT ?) AS few";
        for (const DeliveryState state : {DeliveryState::Dead, DeliveryState::Accepted, DeliveryState::Delivered,
                                          DeliveryState::Bounced, DeliveryState::Unknown}) {
            const qint64 count = number(session, recent, {QString(toText(state)), -recentMs, countCap});
            if (state == DeliveryState::Dead)
                facts.recentDead = count;
            facts.recentEnded += count;
        }
        return facts;
    });
}

} // namespace sendoff::store
