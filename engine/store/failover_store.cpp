#include "store/failover_store.h"

#include "domain/json_document.h"
#include "store/json_rows.h"

#include <algorithm>

namespace sendoff::store {

namespace {

// What one engine moves for one reason within a minute is one switch.
void record(Session &session, const Failover &failover, int count)
{
    const QString reason = storableText(failover.reason, 300);
    const int known =
        session
            .run("UPDATE sendoff_failover SET rows_moved = rows_moved + ? WHERE id = (SELECT max(id) FROM "
                 "sendoff_failover WHERE from_provider = ? AND to_provider = ? AND engine = ? AND reason = ?) "
                 "AND at > $now_plus(-60000)",
                 {count, failover.from, failover.to, failover.engine, reason})
            .affected();
    if (known == 0)
        session.run("INSERT INTO sendoff_failover (channel, from_provider, to_provider, rows_moved, reason, engine) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    {QString(toText(failover.channel)), failover.from, failover.to, count, reason, failover.engine});
}

// What another provider may have waiting when it is given more: what comes back later must not stand in a line there
// that its own limit never ends.
constexpr int maxWaiting = 1'000;

int roomAt(Session &session, const QString &provider)
{
    Cursor row = session.run("SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_delivery_hot WHERE provider = ? AND "
                             "(state = 'ready' OR (state = 'scheduled' AND due_at <= $now)) LIMIT ?) AS few",
                             {provider, maxWaiting});
    row.next();
    return maxWaiting - int(row.integer(0));
}

} // namespace

Result<int> failOver(Database &database, const Failover &failover, int most)
{
    return database.write([&](Session &session) {
        const int limit = std::min(most, roomAt(session, failover.to));
        if (limit <= 0)
            return 0;
        JsonRows ids;
        int count = 0;
        {
            Cursor row = session.run(
                "UPDATE sendoff_delivery_hot SET provider = ?, state = 'scheduled', due_at = $now, "
                "first_handed_at = NULL, lease_token = lease_token + 1, detail = ? "
                "WHERE id $any(SELECT id FROM sendoff_delivery_hot WHERE provider = ? AND lane = ? AND state = 'ready' "
                "AND losses = 0 AND has_unknown = 0 ORDER BY vstart, id LIMIT ? $skip_locked) "
                "AND state = 'ready' AND has_unknown = 0 RETURNING id",
                {failover.to,
                 storableText(QStringLiteral("moved from %1: %2").arg(failover.from, failover.reason), 300),
                 failover.from, QString(toText(failover.lane)), limit});
            while (row.next()) {
                ids.row().text("id", row.text(0));
                ++count;
            }
        }
        if (count == 0)
            return 0;
        session.run("DELETE FROM sendoff_content WHERE delivery_id $any(SELECT value->>'id' FROM $rows)", {ids.json()});
        record(session, failover, count);
        return count;
    });
}

Result<std::vector<FailoverRow>> failovers(Database &database, int limit)
{
    if (limit < 1 || limit > 1'000)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to 1000")};
    return database.read([&](Session &session) {
        std::vector<FailoverRow> rows;
        Cursor row = session.run("SELECT $ms(at), channel, from_provider, to_provider, reason, engine, rows_moved "
                                 "FROM sendoff_failover ORDER BY id DESC LIMIT ?",
                                 {limit});
        while (row.next())
            rows.push_back({row.time(0),
                            {fromText<Channel>(row.text(1)).value_or(Channel::Email), row.text(2), row.text(3),
                             row.text(4), row.text(5), Lane::Normal},
                            row.integer(6)});
        return rows;
    });
}

Result<QStringList> sendableProviders(Database &database, const QStringList &providers)
{
    JsonRows rows;
    for (const QString &provider : providers)
        rows.row().text("name", provider);
    return database.readOnce([&](Session &session) {
        QStringList sendable;
        Cursor row =
            session.run("SELECT name FROM sendoff_provider WHERE name $any(SELECT value->>'name' FROM $rows) "
                        "AND breaker = 'closed' AND NOT (paused = 1 AND (paused_until IS NULL OR paused_until > "
                        "$now)) AND (throttled_until IS NULL OR throttled_until <= $now) "
                        "AND (daily_limit = 0 OR day <> $today OR day_used < daily_limit) "
                        "AND (monthly_limit = 0 OR substr(day, 1, 7) <> substr($today, 1, 7) OR month_used < "
                        "monthly_limit)",
                        {rows.json()});
        while (row.next())
            sendable += row.text(0);
        return sendable;
    });
}

} // namespace sendoff::store
