#include "store/operation_rows.h"

#include "store/delivery_rows.h"
#include "store/json_rows.h"
#include "store/sql_error.h"

#include <QHash>
#include <algorithm>

namespace sendoff::store {

namespace {

// What the statements join their rows with. A row that is not as it was read is left alone: id and version must fit.
constexpr auto joinedRows =
    "(SELECT value->>'id' AS id, CAST(value->>'token' AS bigint) AS token, CAST(value->>'due' AS bigint) AS due, "
    "CAST(value->>'expires' AS bigint) AS expires, value->>'state' AS state, value->>'reason' AS reason FROM $rows) r";

// Our locks keep every row as it was read, so anything else is a fault; the batch is rolled back.
void requireCount(int affected, size_t expected)
{
    if (affected != int(expected))
        throw SqlError({ErrorCode::Busy, QStringLiteral("rows changed while an operation moved them")});
}

bool isHeldBack(const OperationRow &row)
{
    return isLive(row.state);
}

// The columns of a delivery with some replaced by expressions, to insert a moved row in one statement.
QByteArray replacedColumns(const QHash<QByteArray, QByteArray> &expressions)
{
    QByteArray list;
    for (const QByteArray &column : QByteArray(deliveryColumns).split(',')) {
        const QByteArray name = column.trimmed();
        list += (list.isEmpty() ? "" : ", ") + expressions.value(name, "d." + name);
    }
    return list;
}

const QHash<QByteArray, QByteArray> &scheduledColumns()
{
    static const QHash<QByteArray, QByteArray> columns{
        {"state", "'scheduled'"},
        {"reason", "'none'"},
        {"detail", "''"},
        {"due_at", "$at(r.due)"},
        {"expires_at", "CASE WHEN r.expires > 0 THEN $at(r.expires) ELSE d.expires_at END"},
        {"vstart", "0"},
        {"failures", "0"},
        {"losses", "0"},
        {"lease_token", "d.lease_token + 1"},
        {"lease_holder", "NULL"},
        {"lease_until", "NULL"},
        {"handed_at", "NULL"},
        {"accepted_at", "NULL"},
        {"ended_at", "NULL"},
        {"possible_duplicate", "CASE WHEN d.has_unknown = 1 THEN 1 ELSE d.possible_duplicate END"},
    };
    return columns;
}

void bringBack(Session &session, const QString &rows, size_t count)
{
    const QByteArray columns(deliveryColumns);
    const QByteArray moved = replacedColumns(scheduledColumns());
    if (session.isPostgreSql()) {
        const int affected = session
                                 .run("WITH d AS (DELETE FROM sendoff_delivery_history WHERE id $any(SELECT "
                                      "value->>'id' FROM $rows) RETURNING *) "
                                      "INSERT INTO sendoff_delivery_hot (" +
                                          columns + ") SELECT " + moved + " FROM d JOIN " + joinedRows +
                                          " ON r.id = d.id AND r.token = d.lease_token",
                                      {rows, rows})
                                 .affected();
        requireCount(affected, count);
        return;
    }
    const int affected =
        session
            .run("INSERT INTO sendoff_delivery_hot (" + columns + ") SELECT " + moved + " FROM " + joinedRows +
                     " CROSS JOIN sendoff_delivery_history d WHERE d.id = r.id AND d.lease_token = r.token",
                 {rows})
            .affected();
    requireCount(affected, count);
    session.run("DELETE FROM sendoff_delivery_history WHERE id $any(SELECT value->>'id' FROM $rows)", {rows});
}

void releaseHeld(Session &session, const QString &rows, size_t count)
{
    QByteArray assignments;
    for (auto it = scheduledColumns().cbegin(); it != scheduledColumns().cend(); ++it)
        assignments += (assignments.isEmpty() ? "" : ", ") + it.key() + " = " + it.value();
    const int affected = session
                             .run("UPDATE sendoff_delivery_hot AS d SET " + assignments + " FROM " + joinedRows +
                                      " WHERE d.id = r.id AND d.lease_token = r.token AND d.state = 'held' "
                                      "AND d.id $any(SELECT value->>'id' FROM $rows)",
                                  {rows, rows})
                             .affected();
    requireCount(affected, count);
}

} // namespace

qint64 newestSequence(Session &session)
{
    Cursor row = session.run("SELECT coalesce(max(sequence), 0) FROM sendoff_event");
    row.next();
    return row.integer(0);
}

std::vector<OperationRow> operationRows(Session &session, const char *table, const QByteArray &condition,
                                        const QVariantList &values)
{
    std::vector<OperationRow> rows;
    Cursor row = session.run(
        QByteArray(
            "SELECT d.id, d.lease_token, d.event_id, d.state, d.channel, d.provider, d.category, d.recipient, "
            "d.last_code, CASE WHEN d.address = '' AND d.address_sealed IS NULL THEN 0 ELSE 1 END, d.has_secret, "
            "d.has_unknown, "
            "CASE WHEN d.expires_at <= $now THEN 1 ELSE 0 END, $ms(d.expires_at) - $ms(d.created_at), "
            "(SELECT CASE WHEN e.scrubbed_at IS NULL THEN 0 ELSE 1 END FROM sendoff_event e WHERE e.id = d.event_id), "
            "CASE WHEN d.content_removed_at IS NOT NULL THEN 1 ELSE "
            "(SELECT CASE WHEN e.content_removed_at IS NULL THEN 0 ELSE 1 END FROM sendoff_event e WHERE e.id = "
            "d.event_id) END FROM ") +
            table + " d WHERE 1 = 1" + condition,
        values);
    while (row.next()) {
        OperationRow found;
        found.id = DeliveryId(row.text(0));
        found.token = {row.integer(1)};
        found.event = EventId(row.text(2));
        found.state = fromText<DeliveryState>(row.text(3)).value_or(DeliveryState::Leased);
        found.channel = row.text(4);
        found.provider = row.text(5);
        found.category = row.text(6);
        found.recipient = row.text(7);
        found.code = row.text(8);
        found.hasAddress = row.flag(9);
        found.hasSecret = row.flag(10);
        found.hasUnknown = row.flag(11);
        found.isExpired = row.flag(12);
        found.lifetime = Milliseconds(row.integer(13));
        found.secretGone = row.flag(14);
        found.contentGone = row.isNull(15) || row.flag(15); // null: retention took the event
        rows.push_back(std::move(found));
    }
    return rows;
}

void scheduleAgain(Session &session, const std::vector<ScheduledRow> &rows, Timestamp now)
{
    JsonRows held;
    JsonRows ended;
    size_t heldCount = 0;
    for (const ScheduledRow &each : rows) {
        const bool isHeld = isHeldBack(*each.row);
        heldCount += isHeld ? 1 : 0;
        const Timestamp start = std::max(each.due, now);
        (isHeld ? held : ended)
            .row()
            .text("id", each.row->id.value)
            .number("token", each.row->token.value)
            .number("due", start.time_since_epoch().count())
            .number("expires", each.lifetime ? qint64((start + *each.lifetime).time_since_epoch().count()) : 0);
    }
    if (!held.isEmpty())
        releaseHeld(session, held.json(), heldCount);
    if (!ended.isEmpty())
        bringBack(session, ended.json(), rows.size() - heldCount);
}

void endByPerson(Session &session, const std::vector<EndedRow> &rows)
{
    JsonRows live;
    JsonRows ended;
    size_t liveCount = 0;
    for (const EndedRow &each : rows) {
        const bool isHeld = isHeldBack(*each.row);
        liveCount += isHeld ? 1 : 0;
        // An attempt whose outcome nobody knows can't be cancelled away: people must still see it.
        const bool staysUnknown = each.row->hasUnknown && each.end == DeliveryState::Cancelled;
        (isHeld ? live : ended)
            .row()
            .text("id", each.row->id.value)
            .number("token", each.row->token.value)
            .text("state", toText(staysUnknown ? DeliveryState::Unknown : each.end))
            .text("reason", toText(staysUnknown ? Reason::OutcomeUnknown : Reason::ByPerson));
    }
    const auto end = [&](const char *table, const char *ending, const QString &json, size_t count) {
        const int affected = session
                                 .run(QByteArray("UPDATE ") + table + " AS d SET state = r.state, reason = r.reason, " +
                                          "detail = 'ended by a person', lease_token = d.lease_token + 1" + ending +
                                          " FROM " + joinedRows +
                                          " WHERE d.id = r.id AND d.lease_token = r.token AND d.state <> 'leased' "
                                          "AND d.id $any(SELECT value->>'id' FROM $rows)",
                                      {json, json})
                                 .affected();
        requireCount(affected, count);
    };
    if (!live.isEmpty()) {
        end("sendoff_delivery_hot", ", ended_at = $now, lease_holder = NULL, lease_until = NULL", live.json(),
            liveCount);
        moveToHistory(session, live.json());
    }
    if (!ended.isEmpty())
        end("sendoff_delivery_history", "", ended.json(), rows.size() - liveCount);
}

} // namespace sendoff::store
