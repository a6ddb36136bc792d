#include "store/outbox.h"

#include "domain/json_document.h"
#include "store/delivery_rows.h"
#include "store/fair_queue.h"
#include "store/json_rows.h"

#include <QSet>
#include <algorithm>
#include <map>

namespace sendoff::store {

namespace {

Error invalid(const QString &message)
{
    return {ErrorCode::Invalid, message};
}

std::optional<Error> problemOf(const NewEvent &event)
{
    struct Field
    {
        QLatin1String name;
        const QString &value;
        int limit;
    };
    for (const Field &field :
         {Field{QLatin1String("id"), event.id, maxEventIdBytes}, Field{QLatin1String("type"), event.type, 200},
          Field{QLatin1String("tenant"), event.tenant, 200},
          Field{QLatin1String("supersedes_key"), event.supersedesKey, 200}}) {
        if (field.value.contains(QChar(0)))
            return invalid(
                QStringLiteral("%1 holds the character U+0000, which no store keeps; remove it").arg(field.name));
        if (!field.value.isValidUtf16())
            return invalid(QStringLiteral("%1 is not valid text: it holds half a surrogate pair").arg(field.name));
        if (field.value.toUtf8().size() > field.limit)
            return invalid(QStringLiteral("%1 is longer than %2 bytes; shorten it").arg(field.name).arg(field.limit));
    }
    if (event.type.isEmpty())
        return invalid(QStringLiteral("type is empty; name the event type, for example booking.confirmed"));
    if (const auto payload = parsePayload(event.payload); !payload)
        return payload.error();
    return std::nullopt;
}

} // namespace

Result<Appended> appendEvent(Database &database, const NewEvent &event)
{
    if (const auto problem = problemOf(event))
        return *problem;
    // Columns that are absent take their defaults, so they must not stand in the statement at all.
    QByteArray columns = "type, payload, tenant";
    QByteArray places = "?, ?, ?";
    QVariantList values{event.type, QString::fromUtf8(event.payload), event.tenant};
    const auto add = [&](const char *column, const char *place, const QVariant &value) {
        columns += QByteArray(", ") + column;
        places += QByteArray(", ") + place;
        values += value;
    };
    if (!event.id.isEmpty())
        add("id", "?", event.id);
    if (event.lane)
        add("lane", "?", QString(toText(*event.lane)));
    if (event.availableAt)
        add("available_at", "$at(?)", qint64(event.availableAt->time_since_epoch().count()));
    if (event.expiresAt)
        add("expires_at", "$at(?)", qint64(event.expiresAt->time_since_epoch().count()));
    if (!event.supersedesKey.isEmpty())
        add("supersedes_key", "?", event.supersedesKey);
    return database.write([&](Session &session) -> Result<Appended> {
        Cursor row = session.run("INSERT INTO sendoff_event (" + columns + ") VALUES (" + places +
                                     ") ON CONFLICT (id) DO NOTHING RETURNING id",
                                 values);
        if (row.next())
            return Appended{EventId(row.text(0)), false};
        return Appended{EventId(event.id), true};
    });
}

namespace {

std::vector<Event> takePending(Session &session, int limit)
{
    std::vector<Event> events;
    Cursor row = session.run(
        "SELECT id, sequence, type, payload, tenant, lane, $ms(occurred_at), $ms(available_at), $ms(expires_at), "
        "supersedes_key, traceparent, tries FROM sendoff_event "
        "WHERE state = 'pending' AND (relay_after IS NULL OR relay_after <= $now) "
        "ORDER BY sequence LIMIT ? $skip_locked",
        {limit});
    while (row.next()) {
        Event event;
        event.id = EventId(row.text(0));
        event.sequence = row.integer(1);
        event.type = row.text(2);
        event.payload = row.bytes(3);
        event.tenant = row.text(4);
        event.lane = fromText<Lane>(row.text(5));
        event.occurredAt = row.time(6);
        event.availableAt = row.time(7);
        event.expiresAt = row.maybeTime(8);
        event.supersedesKey = row.text(9);
        event.traceparent = row.text(10);
        event.tries = int(row.integer(11));
        events.push_back(std::move(event));
    }
    return events;
}

std::vector<Contact> contactsOf(Session &session, const QSet<QString> &users)
{
    std::vector<Contact> contacts;
    if (users.isEmpty())
        return contacts;
    JsonRows rows;
    for (const QString &user : users)
        rows.row().text("id", user);
    Cursor row = session.run(
        "SELECT id, user_id, channel, address, locale, time_zone FROM sendoff_contact "
        "WHERE user_id $any(SELECT value->>'id' FROM $rows) AND disabled_at IS NULL ORDER BY created_at, id",
        {rows.json()});
    while (row.next()) {
        const auto channel = fromText<Channel>(row.text(2));
        if (channel)
            contacts.push_back({row.text(0), UserId(row.text(1)), *channel, row.text(3), row.text(4), row.text(5)});
    }
    return contacts;
}

struct Planned
{
    const Event *event;
    RelayPlan plan;
    bool isReplaced = false; // a later event with its key was relayed already
};

// Orders relays of the same key across engines: the row lock holds to the commit, so who comes second sees the first.
void supersede(Session &session, std::vector<Planned> &planned)
{
    std::map<std::pair<QString, QString>, qint64> newest;
    for (const Planned &each : planned) {
        if (!each.event->supersedesKey.isEmpty()) {
            qint64 &sequence = newest[{each.event->tenant, each.event->supersedesKey}];
            sequence = std::max(sequence, each.event->sequence);
        }
    }
    for (auto &[key, sequence] : newest) {
        Cursor row =
            session.run("INSERT INTO sendoff_supersession AS s (tenant, key, sequence) VALUES (?, ?, ?) "
                        "ON CONFLICT (tenant, key) DO UPDATE SET sequence = $greatest(s.sequence, excluded.sequence) "
                        "RETURNING sequence",
                        {key.first, key.second, sequence});
        row.next();
        sequence = row.integer(0);
    }
    for (Planned &each : planned) {
        if (!each.event->supersedesKey.isEmpty())
            each.isReplaced = newest[{each.event->tenant, each.event->supersedesKey}] > each.event->sequence;
    }
    JsonRows ended;
    for (const auto &[key, sequence] : newest) {
        // A leased row may be on the wire; if it comes back, the last read before its next attempt ends it.
        Cursor row = session.run(
            "UPDATE sendoff_delivery_hot SET state = CASE WHEN has_unknown = 1 THEN 'unknown' ELSE 'superseded' END, "
            "reason = CASE WHEN has_unknown = 1 THEN 'outcome_unknown' ELSE 'by_event' END, "
            "detail = 'a later event replaced it', ended_at = $now, lease_token = lease_token + 1 "
            "WHERE tenant = ? AND supersedes_key = ? AND event_sequence < ? AND supersedes_key <> '' "
            "AND state IN ('scheduled', 'ready', 'held') RETURNING id",
            {key.first, key.second, sequence});
        while (row.next())
            ended.row().text("id", row.text(0));
    }
    if (!ended.isEmpty())
        moveToHistory(session, ended.json());
}

Timestamp databaseNow(Session &session)
{
    Cursor row = session.run("SELECT $ms($now)");
    row.next();
    return row.time(0);
}

struct RowToInsert
{
    const Planned *planned;
    const PlannedDelivery *delivery;
    DeliveryState state;
    Reason reason;
    Timestamp due;
    Timestamp expires;
    qint64 vstart = 0;
};

std::vector<RowToInsert> rowsOf(const std::vector<Planned> &planned, Timestamp now)
{
    std::vector<RowToInsert> rows;
    for (const Planned &each : planned) {
        for (const PlannedDelivery &delivery : each.plan.deliveries) {
            RowToInsert row{
                &each, &delivery, delivery.state, delivery.reason, std::max(now, delivery.dueAt.value_or(now)), {}, 0};
            row.expires = delivery.expiresAt.value_or(row.due + delivery.lifetime);
            if (row.state == DeliveryState::Ready && row.due > now) {
                row.state = DeliveryState::Scheduled;
                row.reason = Reason::Planned;
            }
            if (isLive(row.state) && row.expires <= now) {
                row.state = DeliveryState::Expired;
                row.reason = Reason::PastExpiry;
            }
            if (isLive(row.state) && each.isReplaced) {
                row.state = DeliveryState::Superseded;
                row.reason = Reason::ByEvent;
            }
            rows.push_back(row);
        }
    }
    return rows;
}

void giveStartTags(Session &session, std::vector<RowToInsert> &rows)
{
    std::map<FlowKey, int> counts;
    const auto keyOf = [](const RowToInsert &row) {
        return FlowKey{row.delivery->provider, QString(toText(row.delivery->lane)), row.planned->event->tenant};
    };
    for (const RowToInsert &row : rows) {
        if (row.state == DeliveryState::Ready)
            ++counts[keyOf(row)];
    }
    const auto tags = startTags(session, counts);
    std::map<FlowKey, size_t> used;
    for (RowToInsert &row : rows) {
        if (row.state == DeliveryState::Ready) {
            const FlowKey key = keyOf(row);
            row.vstart = tags.at(key)[used[key]++];
        }
    }
}

void append(JsonRows &json, const RowToInsert &row, qint64 publishedSet)
{
    const Event &event = *row.planned->event;
    const PlannedDelivery &delivery = *row.delivery;
    const auto milliseconds = [](Timestamp time) { return qint64(time.time_since_epoch().count()); };
    json.row()
        .text("id", delivery.id.value)
        .text("event", event.id.value)
        .number("sequence", event.sequence)
        .text("type", event.type)
        .text("tenant", event.tenant)
        .text("category", delivery.category)
        .text("channel", toText(delivery.key.channel))
        .text("provider", delivery.provider)
        .text("lane", toText(delivery.lane))
        .text("recipient", delivery.key.recipient)
        .text("user", delivery.user.value)
        .text("destination", delivery.key.destination)
        .number("revision", delivery.key.revision)
        .text("role", delivery.role)
        .text("element", delivery.element)
        .text("template", delivery.templateName)
        .number("set", publishedSet)
        .text("locale", delivery.locale)
        .text("zone", delivery.timeZone)
        .text("address", delivery.address)
        .text("hash", delivery.addressHash)
        .text("mask", delivery.traces.mask)
        .text("domain", delivery.traces.domain)
        .text("last4", delivery.traces.last4)
        .text("state", toText(row.state))
        .text("reason", toText(row.reason))
        .text("detail", delivery.detail)
        .text("supersedes", event.supersedesKey)
        .flag("secret", delivery.hasSecret)
        .number("due", milliseconds(row.due))
        .number("expires", milliseconds(row.expires))
        .number("vstart", row.vstart);
}

void insertRows(Session &session, const char *table, const QString &rows, bool ended)
{
    session.run(
        QByteArray("INSERT INTO ") + table +
            " (id, event_id, event_sequence, type, tenant, category, channel, provider, lane, recipient, user_id, "
            "destination, "
            "revision, role, element, template, published_set, locale, time_zone, address, address_hash, address_mask, "
            "address_domain, address_last4, state, reason, detail, supersedes_key, has_secret, created_at, due_at, "
            "expires_at, vstart, ended_at) "
            "SELECT value->>'id', value->>'event', CAST(value->>'sequence' AS bigint), value->>'type', "
            "value->>'tenant', "
            "value->>'category', value->>'channel', value->>'provider', value->>'lane', value->>'recipient', "
            "value->>'user', "
            "value->>'destination', CAST(value->>'revision' AS integer), value->>'role', value->>'element', "
            "value->>'template', "
            "CAST(value->>'set' AS bigint), value->>'locale', value->>'zone', value->>'address', value->>'hash', "
            "value->>'mask', "
            "value->>'domain', value->>'last4', value->>'state', value->>'reason', value->>'detail', "
            "value->>'supersedes', "
            "CAST(value->>'secret' AS smallint), $now, $at(CAST(value->>'due' AS bigint)), "
            "$at(CAST(value->>'expires' AS bigint)), CAST(value->>'vstart' AS bigint), " +
            (ended ? "$now" : "NULL") + " FROM $rows",
        {rows});
}

void insertDeliveries(Session &session, const std::vector<Planned> &planned, qint64 publishedSet, RelayCount &count)
{
    std::vector<RowToInsert> rows = rowsOf(planned, databaseNow(session));
    giveStartTags(session, rows);
    JsonRows live;
    JsonRows ended;
    for (const RowToInsert &row : rows)
        append(isLive(row.state) ? live : ended, row, publishedSet);
    if (!live.isEmpty())
        insertRows(session, "sendoff_delivery_hot", live.json(), false);
    if (!ended.isEmpty()) {
        insertRows(session, "sendoff_delivery_history", ended.json(), true);
        session.run(minuteTarget +
                        "SELECT $at($now_us / 60000000 * 60000), '', value->>'provider' AS provider, value->>'channel' "
                        "AS channel, value->>'lane' AS lane, 'end' AS kind, value->>'state' AS word, count(*), 0 FROM "
                        "$rows GROUP BY value->>'provider', value->>'channel', value->>'lane', value->>'state' " +
                        minuteConflict,
                    {ended.json()});
    }
    count.deliveries += int(rows.size());
}

void markRelayed(Session &session, const std::vector<Planned> &planned, qint64 publishedSet)
{
    JsonRows rows;
    for (const Planned &each : planned)
        rows.row()
            .text("id", each.event->id.value)
            .number("folded", each.plan.folded)
            .text("secrets", each.plan.secrets.join(u'\n'));
    session.run("UPDATE sendoff_event SET state = 'relayed', relayed_at = $now, reason = NULL, published_set = ?, "
                "folded = r.folded, secrets = r.secrets FROM (SELECT value->>'id' AS id, CAST(value->>'folded' AS "
                "integer) AS folded, "
                "value->>'secrets' AS secrets FROM $rows) r "
                "WHERE sendoff_event.id = r.id",
                {publishedSet, rows.json()});
}

void refuse(Session &session, const QString &event, const QString &reason)
{
    session.run("UPDATE sendoff_event SET tries = tries + 1, reason = ?, relay_after = $now_plus(2000 * (tries + 1)), "
                "state = CASE WHEN tries + 1 >= ? THEN 'rejected' ELSE 'pending' END WHERE id = ?",
                {storableText(reason, 500), maxRelayTries, event});
}

} // namespace

Result<RelayCount> relayEvents(Database &database, int limit, qint64 publishedSet, RelayPlanner &planner)
{
    return database.write([&](Session &session) -> Result<RelayCount> {
        RelayCount count;
        const std::vector<Event> events = takePending(session, limit);
        count.events = int(events.size());
        if (events.empty())
            return count;
        QSet<QString> users;
        for (const Event &event : events) {
            for (const UserId &user : planner.users(event))
                users.insert(user.value);
        }
        const std::vector<Contact> contacts = contactsOf(session, users);
        std::vector<Planned> planned;
        for (const Event &event : events) {
            auto answer = planner.plan(event, contacts);
            if (auto *plan = std::get_if<RelayPlan>(&answer)) {
                planned.push_back({&event, std::move(*plan), false});
            } else {
                refuse(session, event.id.value, std::get<RelayRefusal>(answer).reason);
                ++count.refused;
            }
        }
        if (!planned.empty()) {
            supersede(session, planned);
            insertDeliveries(session, planned, publishedSet, count);
            markRelayed(session, planned, publishedSet);
        }
        count.relayed = int(planned.size());
        return count;
    });
}

Result<void> refuseFirstPending(Database &database, const QString &reason)
{
    return database.write([&](Session &session) {
        const std::vector<Event> first = takePending(session, 1);
        if (!first.empty())
            refuse(session, first.front().id.value, reason);
    });
}

Result<qint64> retryRejectedEvents(Database &database, const std::vector<EventId> &events)
{
    JsonRows rows;
    for (const EventId &event : events)
        rows.row().text("id", event.value);
    return database.write([&](Session &session) -> qint64 {
        return session
            .run("UPDATE sendoff_event SET state = 'pending', tries = 0, relay_after = NULL "
                 "WHERE id $any(SELECT value->>'id' FROM $rows) AND state = 'rejected'",
                 {rows.json()})
            .affected();
    });
}

} // namespace sendoff::store
