#include "store/delivery_queue.h"

#include "domain/payload_edit.h"
#include "store/delivery_rows.h"
#include "store/fair_queue.h"
#include "store/json_rows.h"

#include <QSet>
#include <algorithm>
#include <map>

namespace sendoff::store {

namespace {

struct DueRow
{
    QString id;
    FlowKey flow;
    QString tenant;
};

// One row of each tenant in turn, so that a tenant's many retries don't stand before another's few.
void interleaveTenants(std::vector<DueRow> &rows)
{
    std::map<std::pair<FlowKey, QString>, int> met;
    std::vector<std::pair<int, size_t>> order;
    for (size_t each = 0; each < rows.size(); ++each)
        order.emplace_back(met[{rows[each].flow, rows[each].tenant}]++, each);
    std::sort(order.begin(), order.end());
    std::vector<DueRow> sorted;
    for (const auto &[turn, place] : order)
        sorted.push_back(std::move(rows[place]));
    rows = std::move(sorted);
}

} // namespace

Result<int> promoteDue(Database &database, const RetryShares &shares, int limit)
{
    return database.write([&](Session &session) -> int {
        std::vector<DueRow> due;
        FlowWeights weights;
        {
            Cursor row =
                session.run("SELECT id, provider, lane, tenant, attempts FROM sendoff_delivery_hot "
                            "WHERE state = 'scheduled' AND due_at <= $now ORDER BY due_at LIMIT ? $skip_locked",
                            {limit});
            while (row.next()) {
                const bool isRetry = row.integer(4) > 0;
                FlowKey flow{row.text(1), row.text(2), isRetry ? retryFlow : row.text(3)};
                if (isRetry) {
                    const auto share = shares.find(flow.provider);
                    const double wanted = std::clamp(share == shares.end() ? 0.5 : share->second, 0.01, 0.99);
                    weights[flow] = wanted / (1 - wanted);
                }
                due.push_back({row.text(0), std::move(flow), row.text(3)});
            }
        }
        if (due.empty())
            return 0;
        interleaveTenants(due);
        std::map<FlowKey, int> counts;
        for (const DueRow &row : due)
            ++counts[row.flow];
        const auto tags = startTags(session, counts, weights);
        std::map<FlowKey, size_t> used;
        JsonRows rows;
        for (const DueRow &row : due)
            rows.row().text("id", row.id).number("vstart", tags.at(row.flow)[used[row.flow]++]);
        session.run("UPDATE sendoff_delivery_hot SET state = 'ready', vstart = r.vstart, lease_token = lease_token + 1 "
                    "FROM (SELECT value->>'id' AS id, CAST(value->>'vstart' AS bigint) AS vstart FROM $rows) r "
                    "WHERE sendoff_delivery_hot.id = r.id AND state = 'scheduled'",
                    {rows.json()});
        return int(due.size());
    });
}

Result<std::optional<Milliseconds>> untilNextDue(Database &database)
{
    return database.readOnce([](Session &session) -> std::optional<Milliseconds> {
        Cursor row = session.run(
            "SELECT $ms(due) - $ms($now) FROM ("
            "SELECT (SELECT min(due_at) FROM sendoff_delivery_hot WHERE state = 'scheduled') AS due UNION ALL "
            "SELECT min(lease_until) FROM sendoff_delivery_hot WHERE state = 'leased' UNION ALL "
            "SELECT min(relay_after) FROM sendoff_event WHERE state = 'pending' UNION ALL "
            "SELECT min(CASE WHEN state = 'armed' THEN armed_until ELSE $now_plus(1000) END) FROM sendoff_operation "
            "WHERE state IN ('armed', 'running') AND (is_paused = 0 OR stop_requested = 1)) w "
            "WHERE due IS NOT NULL ORDER BY due LIMIT 1");
        if (!row.next())
            return std::nullopt;
        return Milliseconds(std::max<qint64>(0, row.integer(0)));
    });
}

Result<WorkWaiting> workWaiting(Database &database)
{
    return database.readOnce([](Session &session) {
        Cursor row = session.run("SELECT CASE WHEN EXISTS (SELECT 1 FROM sendoff_event WHERE state = 'pending' AND "
                                 "(relay_after IS NULL OR relay_after <= $now)) "
                                 "THEN 1 ELSE 0 END, "
                                 "CASE WHEN EXISTS (SELECT 1 FROM sendoff_delivery_hot WHERE state = 'scheduled' AND "
                                 "due_at <= $now) THEN 1 ELSE 0 END, "
                                 "CASE WHEN EXISTS (SELECT 1 FROM sendoff_operation WHERE state IN ('armed', "
                                 "'running') AND armed_until <= $now AND (is_paused = 0 OR stop_requested = 1)) "
                                 "THEN 1 ELSE 0 END, "
                                 "CASE WHEN EXISTS (SELECT 1 FROM sendoff_operation WHERE is_tallied = 0 AND state <> "
                                 "'armed') THEN 1 ELSE 0 END");
        row.next();
        return WorkWaiting{row.flag(0), row.flag(1), row.flag(2), row.flag(3)};
    });
}

Result<bool> hasRunnableDeliveries(Database &database, const QStringList &providers)
{
    JsonRows rows;
    rows.row().text("name", QLatin1String("")); // the inbox
    for (const QString &provider : providers)
        rows.row().text("name", provider);
    return database.readOnce([&](Session &session) {
        return session
            .run("SELECT 1 FROM sendoff_delivery_hot h WHERE state IN ('ready', 'leased') "
                 "AND provider $any(SELECT value->>'name' FROM $rows) AND NOT EXISTS "
                 "(SELECT 1 FROM sendoff_provider p WHERE p.name = h.provider AND p.paused = 1 "
                 "AND (p.paused_until IS NULL OR p.paused_until > $now)) AND NOT EXISTS "
                 "(SELECT 1 FROM sendoff_pause z WHERE (z.until IS NULL OR z.until > $now) AND (z.kind = 'all' "
                 "OR (z.kind = 'lane' AND z.name = h.lane) OR (z.kind = 'channel' AND z.name = h.channel))) LIMIT 1",
                 {rows.json()})
            .next();
    });
}

Result<int> countReady(Database &database, const QString &provider, Lane lane, int limit)
{
    return database.readOnce([&](Session &session) -> int {
        Cursor row = session.run(
            "SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_delivery_hot WHERE provider = ? AND lane = ? "
            "AND state = 'ready' AND losses = 0 LIMIT ?) r",
            {provider, QString(toText(lane)), limit});
        row.next();
        return int(row.integer(0));
    });
}

Result<bool> hasSuspects(Database &database, const QString &provider)
{
    return database.readOnce([&](Session &session) {
        return session
            .run("SELECT 1 FROM sendoff_delivery_hot WHERE provider = ? AND state = 'ready' AND losses > 0 LIMIT 1",
                 {provider})
            .next();
    });
}

namespace {

QString leaseRows(const std::vector<Lease> &leases)
{
    JsonRows rows;
    for (const Lease &lease : leases)
        rows.row().text("id", lease.id.value).number("token", lease.token.value);
    return rows.json();
}

// A person's edit is stored without secrets; they are the event's own for as long as it may still send.
QByteArray editedPayload(const QByteArray &edited, const QByteArray &original, const QString &secrets)
{
    if (secrets.isEmpty())
        return edited;
    const Result<QByteArray> whole = withValuesOf(edited, original, secrets.split(u'\n'));
    return whole ? *whole : edited;
}

std::vector<ClaimedDelivery> claimedRows(Session &session, const QString &ids)
{
    std::vector<ClaimedDelivery> claimed;
    Cursor row = session.run(
        "SELECT h.id, h.lease_token, h.event_id, h.type, h.tenant, h.channel, h.provider, h.lane, h.user_id, "
        "h.recipient, h.address, h.role, h.element, h.template, h.locale, h.time_zone, h.category, h.published_set, "
        "e.payload, c.body, $ms(h.created_at), $ms($now), $ms(h.expires_at), $ms(h.first_handed_at), h.claims, "
        "h.attempts, h.failures, h.losses, h.has_secret, h.has_unknown, x.payload, e.secrets "
        "FROM sendoff_delivery_hot h JOIN sendoff_event e ON e.id = h.event_id "
        "LEFT JOIN sendoff_content c ON c.delivery_id = h.id LEFT JOIN sendoff_edit x ON x.delivery_id = h.id "
        "WHERE h.id $any(SELECT value->>'id' FROM $rows) ORDER BY h.vstart, h.id",
        {ids});
    while (row.next()) {
        ClaimedDelivery each;
        each.id = DeliveryId(row.text(0));
        each.token = LeaseToken{row.integer(1)};
        each.event = EventId(row.text(2));
        each.eventType = row.text(3);
        each.tenant = row.text(4);
        each.channel = fromText<Channel>(row.text(5)).value_or(Channel::Email);
        each.provider = row.text(6);
        each.lane = fromText<Lane>(row.text(7)).value_or(Lane::Normal);
        each.user = UserId(row.text(8));
        each.recipient = row.text(9);
        each.address = row.text(10);
        each.role = row.text(11);
        each.element = row.text(12);
        each.templateName = row.text(13);
        each.locale = row.text(14);
        each.timeZone = row.text(15);
        each.category = row.text(16);
        each.publishedSet = row.integer(17);
        each.payload = row.bytes(18);
        each.frozen = row.bytes(19);
        each.createdAt = row.time(20);
        each.claimedAt = row.time(21);
        each.expiresAt = row.time(22);
        each.firstHandedAt = row.maybeTime(23);
        each.claims = int(row.integer(24));
        each.attempts = int(row.integer(25));
        each.failures = int(row.integer(26));
        each.losses = int(row.integer(27));
        each.hasSecret = row.flag(28);
        each.hasUnknown = row.flag(29);
        if (!row.isNull(30))
            each.payload = editedPayload(row.bytes(30), each.payload, row.text(31));
        claimed.push_back(std::move(each));
    }
    return claimed;
}

} // namespace

Result<std::vector<ClaimedDelivery>> claim(Database &database, const ClaimRequest &request)
{
    const QString lane(toText(request.lane));
    return database.write([&](Session &session) -> std::vector<ClaimedDelivery> {
        // Bounded from below by the lane's clock, so that a snapshot held elsewhere does not make each claim walk over
        // the dead index entries of all earlier ones.
        const QByteArray bound =
            request.bounded && !request.suspects
                ? "AND vstart >= (SELECT v FROM sendoff_lane_clock WHERE provider = ? AND lane = ?) "
                : "";
        QByteArray chosen =
            "SELECT id FROM sendoff_delivery_hot WHERE provider = ? AND lane = ? AND state = 'ready' AND losses = 0 " +
            bound + "ORDER BY vstart, id LIMIT ? $skip_locked";
        QVariantList values{request.holder, qint64(request.lease.count()), request.provider, lane};
        if (!bound.isEmpty())
            values << request.provider << lane;
        if (request.suspects) {
            values.removeLast();
            QByteArray lanes;
            for (const Lane paused : request.withoutLanes) {
                lanes += "AND lane <> ? ";
                values << QString(toText(paused));
            }
            chosen = "SELECT id FROM sendoff_delivery_hot WHERE provider = ? AND state = 'ready' AND losses > 0 " +
                     lanes + "ORDER BY id LIMIT ? $skip_locked";
        }
        values << (request.suspects ? 1 : request.limit);
        JsonRows ids;
        qint64 furthest = -1;
        {
            Cursor row = session.run(
                "UPDATE sendoff_delivery_hot SET state = 'leased', claims = claims + 1, "
                "lease_token = lease_token + 1, lease_holder = ?, lease_until = $now_plus(?), handed_at = NULL "
                "WHERE id $any(" +
                    chosen + ") AND state = 'ready' RETURNING id, vstart",
                values);
            while (row.next()) {
                ids.row().text("id", row.text(0));
                furthest = std::max(furthest, row.integer(1));
            }
        }
        if (ids.isEmpty())
            return {};
        if (!request.suspects)
            session.run("UPDATE sendoff_lane_clock SET v = ? WHERE provider = ? AND lane = ? AND v < ?",
                        {furthest, request.provider, lane, furthest});
        return claimedRows(session, ids.json());
    });
}

Result<std::vector<HandOver>> handOver(Database &database, const std::vector<Lease> &leases, Milliseconds margin)
{
    return database.write([&](Session &session) -> std::vector<HandOver> {
        std::vector<HandOver> found;
        {
            Cursor row = session.run(
                "SELECT h.id, h.lease_token, $ms($now), "
                "CASE WHEN h.expires_at <= $now THEN 1 ELSE 0 END, "
                "CASE WHEN h.supersedes_key <> '' AND EXISTS (SELECT 1 FROM sendoff_supersession s WHERE s.tenant = "
                "h.tenant "
                "AND s.key = h.supersedes_key AND s.sequence > h.event_sequence) THEN 1 ELSE 0 END, "
                "CASE WHEN EXISTS (SELECT 1 FROM sendoff_preference p WHERE p.user_id = h.user_id AND p.category = "
                "h.category "
                "AND p.channel = h.channel AND p.allowed = 0) THEN 1 ELSE 0 END, "
                "CASE WHEN h.category = 'security' THEN 1 ELSE 0 END, "
                "(SELECT count(*) FROM sendoff_suppression x WHERE x.channel = h.channel AND x.address_hash = "
                "h.address_hash "
                "AND h.address_hash <> '' AND x.reason IN ('hard_bounce', 'refused') AND (x.expires_at IS NULL OR "
                "x.expires_at > $now) "
                "AND (x.scope = 'all' OR (x.scope = 'category' AND x.scope_value = h.category) "
                "OR (x.scope = 'provider' AND x.scope_value = h.provider))), "
                "(SELECT count(*) FROM sendoff_suppression x WHERE x.channel = h.channel AND x.address_hash = "
                "h.address_hash "
                "AND h.address_hash <> '' AND x.reason IN ('complaint', 'person') AND (x.expires_at IS NULL OR "
                "x.expires_at > $now) "
                "AND (x.scope = 'all' OR (x.scope = 'category' AND x.scope_value = h.category) "
                "OR (x.scope = 'provider' AND x.scope_value = h.provider))), "
                "CASE WHEN h.has_unknown = 1 AND EXISTS (SELECT 1 FROM sendoff_receipt r WHERE r.delivery_id = h.id "
                "AND r.kind IN ('accepted', 'delivered') AND r.arrived_at >= h.first_handed_at) THEN 1 ELSE 0 END "
                "FROM $rows JOIN sendoff_delivery_hot h ON h.id = value->>'id' AND h.lease_token = "
                "CAST(value->>'token' AS bigint) "
                "WHERE h.lease_until > $now_plus(?)",
                {leaseRows(leases), qint64(margin.count())});
            while (row.next()) {
                HandOver each;
                each.id = DeliveryId(row.text(0));
                each.token = LeaseToken{row.integer(1)};
                each.now = row.time(2);
                each.read.expired = row.flag(3);
                each.read.superseded = row.flag(4);
                each.read.preferenceOff = row.flag(5);
                each.read.isSecurity = row.flag(6);
                each.read.hardBounced = row.flag(7);
                each.read.complained = row.flag(8);
                each.read.alreadyAccepted = row.flag(9);
                each.handed = !refusalFor(each.read);
                found.push_back(each);
            }
        }
        std::vector<Lease> leaving;
        for (const HandOver &each : found) {
            if (each.handed)
                leaving.push_back({each.id, each.token});
        }
        if (leaving.empty())
            return found;
        // The read locked nothing: whose lease was taken since then is not met here and must not be sent.
        QSet<QString> counted;
        {
            Cursor row = session.run(
                "UPDATE sendoff_delivery_hot SET attempts = attempts + 1, handed_at = $now, "
                "first_handed_at = COALESCE(first_handed_at, $now) "
                "FROM (SELECT value->>'id' AS id, CAST(value->>'token' AS bigint) AS token FROM $rows) r "
                "WHERE sendoff_delivery_hot.id = r.id AND lease_token = r.token RETURNING sendoff_delivery_hot.id",
                {leaseRows(leaving)});
            while (row.next())
                counted.insert(row.text(0));
        }
        found.erase(
            std::remove_if(found.begin(), found.end(),
                           [&](const HandOver &each) { return each.handed && !counted.contains(each.id.value); }),
            found.end());
        return found;
    });
}

Result<int> release(Database &database, const std::vector<Lease> &leases)
{
    if (leases.empty())
        return 0;
    return database.write([&](Session &session) -> int {
        return session
            .run("UPDATE sendoff_delivery_hot SET state = 'ready', claims = claims - 1, lease_token = lease_token + 1, "
                 "lease_holder = NULL, lease_until = NULL "
                 "FROM (SELECT value->>'id' AS id, CAST(value->>'token' AS bigint) AS token FROM $rows) r "
                 "WHERE sendoff_delivery_hot.id = r.id AND lease_token = r.token AND handed_at IS NULL",
                 {leaseRows(leases)})
            .affected();
    });
}

Result<std::vector<LostDelivery>> takeLost(Database &database, const QString &holder, int limit)
{
    // Long enough to settle a batch, short enough that the death of this reaper costs little.
    constexpr int reaperLease = 30'000;
    return database.write([&](Session &session) -> std::vector<LostDelivery> {
        std::vector<LostDelivery> lost;
        Cursor row = session.run(
            "UPDATE sendoff_delivery_hot SET lease_token = lease_token + 1, lease_holder = ?, "
            "lease_until = $now_plus(?) "
            "WHERE id $any(SELECT id FROM sendoff_delivery_hot WHERE state = 'leased' "
            "AND (lease_until < $now OR lease_until IS NULL) LIMIT ? $skip_locked) AND state = 'leased' "
            "RETURNING id, lease_token, event_id, channel, provider, lane, $ms(expires_at), $ms(first_handed_at), "
            "attempts, failures, losses, has_secret, has_unknown, $ms(handed_at), $ms($now)",
            {holder, reaperLease, limit});
        while (row.next()) {
            LostDelivery each;
            each.delivery.id = DeliveryId(row.text(0));
            each.delivery.token = LeaseToken{row.integer(1)};
            each.delivery.event = EventId(row.text(2));
            each.delivery.channel = fromText<Channel>(row.text(3)).value_or(Channel::Email);
            each.delivery.provider = row.text(4);
            each.delivery.lane = fromText<Lane>(row.text(5)).value_or(Lane::Normal);
            each.delivery.expiresAt = row.time(6);
            each.delivery.firstHandedAt = row.maybeTime(7);
            each.delivery.attempts = int(row.integer(8));
            each.delivery.failures = int(row.integer(9));
            each.delivery.losses = int(row.integer(10));
            each.delivery.hasSecret = row.flag(11);
            each.delivery.hasUnknown = row.flag(12);
            each.handed = !row.isNull(13); // SQLite 3.40 answers `handed_at IS NULL` wrongly inside this RETURNING
            each.now = row.time(14);
            lost.push_back(std::move(each));
        }
        return lost;
    });
}

Result<int> expireOverdue(Database &database, int limit)
{
    return database.write([&](Session &session) -> int {
        JsonRows ids;
        int count = 0;
        {
            Cursor row = session.run(
                "UPDATE sendoff_delivery_hot SET "
                "state = CASE WHEN has_unknown = 1 THEN 'unknown' ELSE 'expired' END, "
                "reason = CASE WHEN has_unknown = 1 THEN 'outcome_unknown' ELSE 'past_expiry' END, "
                "ended_at = $now, lease_token = lease_token + 1 "
                "WHERE id $any(SELECT id FROM sendoff_delivery_hot WHERE state IN ('scheduled', 'ready', 'held') "
                "AND expires_at <= $now ORDER BY expires_at LIMIT ? $skip_locked) "
                "AND state IN ('scheduled', 'ready', 'held') RETURNING id",
                {limit});
            while (row.next()) {
                ids.row().text("id", row.text(0));
                ++count;
            }
        }
        if (count > 0)
            moveToHistory(session, ids.json());
        return count;
    });
}

} // namespace sendoff::store
