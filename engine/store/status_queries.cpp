#include "store/status_queries.h"

#include <algorithm>

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

void readBacklog(Session &session, StatusRecord &status)
{
    Cursor row = session.run(
        "SELECT provider, channel, lane, sum(CASE WHEN state = 'ready' THEN 1 ELSE 0 END), "
        "sum(CASE WHEN state = 'scheduled' THEN 1 ELSE 0 END), sum(CASE WHEN state = 'leased' THEN 1 ELSE 0 END), "
        "sum(CASE WHEN state = 'held' THEN 1 ELSE 0 END), "
        "$ms($now) - $ms(min(CASE WHEN state = 'ready' THEN due_at END)) "
        "FROM sendoff_delivery_hot GROUP BY provider, channel, lane ORDER BY channel, provider, lane");
    while (row.next()) {
        BacklogRecord backlog;
        backlog.provider = row.text(0);
        backlog.channel = fromText<Channel>(row.text(1)).value_or(Channel::Email);
        backlog.lane = fromText<Lane>(row.text(2)).value_or(Lane::Normal);
        backlog.waiting = row.integer(3);
        backlog.scheduled = row.integer(4);
        backlog.inFlight = row.integer(5);
        backlog.held = row.integer(6);
        if (!row.isNull(7))
            backlog.oldestAge = Milliseconds(std::max<qint64>(0, row.integer(7)));
        status.backlog.push_back(std::move(backlog));
    }
}

void readProviders(Session &session, StatusRecord &status)
{
    Cursor row = session.run(
        "SELECT name, kind, channel, CASE WHEN override_until > $now THEN override_step_us ELSE step_us END, "
        "CASE WHEN paused = 1 AND (paused_until IS NULL OR paused_until > $now) THEN 1 ELSE 0 END, pause_reason, "
        "$ms(paused_until), "
        "$ms(CASE WHEN throttled_until > $now THEN throttled_until END), breaker, breaker_reason, $ms(breaker_until) "
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
        status.providers.push_back(std::move(provider));
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
    return database.read([](Session &session) {
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
        readEngines(session, status);
        status.dead = endedAs(session, toText(DeliveryState::Dead));
        status.unknown = endedAs(session, toText(DeliveryState::Unknown));
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
