#include "store/operation_rows.h"

#include "store/delivery_rows.h"
#include "store/json_rows.h"
#include "store/operation_edit.h"
#include "store/sql_error.h"

#include <QHash>
#include <algorithm>

namespace sendoff::store {

namespace {

// Rows that one batch looks at, so that its transaction stays short however few of them match.
constexpr int maxLooked = 4'000;

// What the statements join their rows with. A row that is not as it was read is left alone: id and version must fit.
constexpr auto joinedRows =
    "(SELECT value->>'id' AS id, CAST(value->>'token' AS bigint) AS token, CAST(value->>'due' AS bigint) AS due, "
    "CAST(value->>'expires' AS bigint) AS expires, CAST(value->>'keeps' AS integer) AS keeps, "
    "CAST(value->>'operation' AS bigint) AS operation, value->>'state' AS state, value->>'reason' AS reason "
    "FROM $rows) r";

const QHash<QByteArray, QByteArray> &scheduledColumns()
{
    static const QHash<QByteArray, QByteArray> columns{
        {"state", "'scheduled'"},
        {"reason", "r.reason"},
        {"detail", "''"},
        {"due_at", "$at(r.due)"},
        {"expires_at", "CASE WHEN r.expires > 0 THEN $at(r.expires) ELSE d.expires_at END"},
        {"vstart", "0"},
        {"failures", "CASE WHEN r.keeps = 1 THEN d.failures ELSE 0 END"},
        {"losses", "CASE WHEN r.keeps = 1 THEN d.losses ELSE 0 END"},
        {"lease_token", "d.lease_token + 1"},
        {"lease_holder", "NULL"},
        {"lease_until", "NULL"},
        {"handed_at", "NULL"},
        // A new life: its key's window and the receipts that count begin anew, unless an outcome is still open.
        {"first_handed_at", "CASE WHEN d.has_unknown = 1 THEN d.first_handed_at ELSE NULL END"},
        {"accepted_at", "NULL"},
        {"ended_at", "NULL"},
        {"operation_id", "r.operation"},
        {"possible_duplicate", "CASE WHEN d.has_unknown = 1 AND r.keeps = 0 THEN 1 ELSE d.possible_duplicate END"},
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

void rescheduleLive(Session &session, const QString &rows, size_t count)
{
    QByteArray assignments;
    for (auto it = scheduledColumns().cbegin(); it != scheduledColumns().cend(); ++it)
        assignments += (assignments.isEmpty() ? "" : ", ") + it.key() + " = " + it.value();
    const int affected = session
                             .run("UPDATE sendoff_delivery_hot AS d SET " + assignments + " FROM " + joinedRows +
                                      " WHERE d.id = r.id AND d.lease_token = r.token AND d.state <> 'leased' "
                                      "AND d.id $any(SELECT value->>'id' FROM $rows)",
                                  {rows, rows})
                             .affected();
    requireCount(affected, count);
}

// The ids of the next rows that match; the sub-select is walked by its primary key and by nothing else. Its order is
// what both databases keep outside too, and then they stop at the limit; `sorts` asks for it where one did not.
QStringList matchingIds(Session &session, const char *table, const QString &after, const RowQuestion &question,
                        bool sorts)
{
    const bool isBounded = !question.isSelective;
    QVariantList values{after};
    if (isBounded)
        values << maxLooked;
    values += question.where.values;
    values << question.operation << question.operation << question.watermark << question.limit;
    const QByteArray source = isBounded ? "(SELECT " + QByteArray(scopeColumns) + " FROM " + table +
                                              " d WHERE d.id > ? ORDER BY d.id LIMIT ?) d WHERE 1 = 1"
                                        : QByteArray(table) + " d WHERE d.id > ?";
    QStringList ids;
    bool isSorted = true;
    {
        Cursor row = session.run("SELECT d.id FROM " + source + question.where.condition +
                                     " AND (d.operation_id IS NULL OR d.operation_id <> ?) AND NOT EXISTS "
                                     "(SELECT 1 FROM sendoff_operation_item i WHERE i.operation_id = ? AND "
                                     "i.delivery_id = d.id) AND d.event_sequence <= ?" +
                                     (sorts ? " ORDER BY d.id LIMIT ?" : " LIMIT ?"),
                                 values);
        while (row.next()) {
            // Compared as the database compares: ids that are not told apart by ASCII are none of ours.
            isSorted = isSorted && (ids.isEmpty() || ids.last().toUtf8() < row.text(0).toUtf8());
            ids += row.text(0);
        }
    }
    return isSorted || sorts ? ids : matchingIds(session, table, after, question, true);
}

// The facts that the rules know of a row, in the order that operationRow() reads.
QByteArray ruleColumns()
{
    return "d.id, d.lease_token, d.event_id, d.state, d.channel, d.provider, d.category, d.last_code, "
           "CASE WHEN d.address_mask = '' THEN 0 ELSE 1 END, d.has_secret, d.has_unknown, "
           "CASE WHEN d.expires_at <= $greatest($now, $at(?)) THEN 1 ELSE 0 END, "
           "$ms(d.expires_at) - $ms(d.created_at), "
           "(SELECT CASE WHEN e.scrubbed_at IS NULL THEN 0 ELSE 1 END FROM sendoff_event e WHERE e.id = d.event_id), "
           "CASE WHEN d.content_removed_at IS NOT NULL OR (d.pins = " +
           QByteArray(editedPins) +
           " AND NOT EXISTS "
           "(SELECT 1 FROM sendoff_edit x WHERE x.delivery_id = d.id)) THEN 1 ELSE "
           "(SELECT CASE WHEN e.content_removed_at IS NULL THEN 0 ELSE 1 END FROM sendoff_event e WHERE e.id = "
           "d.event_id) END";
}

OperationRow operationRow(const Cursor &row)
{
    OperationRow found;
    found.id = DeliveryId(row.text(0));
    found.token = {row.integer(1)};
    found.event = EventId(row.text(2));
    found.state = fromText<DeliveryState>(row.text(3)).value_or(DeliveryState::Leased);
    found.channel = row.text(4);
    found.provider = row.text(5);
    found.category = row.text(6);
    found.code = row.text(7);
    found.hasAddress = row.flag(8);
    found.hasSecret = row.flag(9);
    found.hasUnknown = row.flag(10);
    found.isExpired = row.flag(11);
    found.lifetime = Milliseconds(row.integer(12));
    found.secretGone = row.flag(13);
    found.contentGone = row.isNull(14) || row.flag(14); // null: retention took the event
    return found;
}

// Locked and looked at again: others may have changed them since their ids were read.
std::vector<OperationRow> lockedRows(Session &session, const char *table, const QStringList &ids,
                                     const RowQuestion &question)
{
    JsonRows idRows;
    for (const QString &id : ids)
        idRows.row().text("id", id);
    const qint64 expiryAt = question.expiryAt ? question.expiryAt->time_since_epoch().count() : 0;
    std::vector<OperationRow> rows;
    Cursor row = session.run("SELECT " + ruleColumns() + " FROM " + table +
                                 " d WHERE d.id $any(SELECT value->>'id' FROM $rows)" + question.where.condition +
                                 " ORDER BY d.id $lock",
                             QVariantList{expiryAt, idRows.json()} + question.where.values);
    while (row.next())
        rows.push_back(operationRow(row));
    return rows;
}

// The last of the rows that a bounded look has seen; nothing where it has seen the end of the table.
std::optional<QString> endOfLook(Session &session, const char *table, const QString &after)
{
    Cursor row =
        session.run(QByteArray("SELECT d.id FROM ") + table + " d WHERE d.id > ? ORDER BY d.id LIMIT 1 OFFSET ?",
                    {after, maxLooked - 1});
    return row.next() ? std::optional(row.text(0)) : std::nullopt;
}

} // namespace

const char *const scopeColumns =
    "d.id, d.event_id, d.event_sequence, d.type, d.tenant, d.category, d.channel, d.provider, d.lane, d.recipient, "
    "d.user_id, d.destination, d.revision, d.parent_id, d.role, d.template, d.published_set, d.locale, d.address_mask, "
    "d.address_domain, d.address_last4, d.state, d.reason, d.detail, d.has_secret, d.created_at, d.due_at, "
    "d.expires_at, d.claims, d.attempts, d.failures, d.losses, d.lease_token, d.has_unknown, d.possible_duplicate, "
    "d.last_outcome, d.last_code, d.last_status, d.fingerprint, d.provider_message_id, d.accepted_at, "
    "d.content_removed_at, d.ended_at, d.operation_id";

void requireCount(int affected, size_t expected)
{
    if (affected != int(expected))
        throw SqlError({ErrorCode::Busy, QStringLiteral("rows changed while an operation moved them")});
}

QByteArray replacedColumns(const QHash<QByteArray, QByteArray> &expressions)
{
    QByteArray list;
    for (const QByteArray &column : QByteArray(deliveryColumns).split(',')) {
        const QByteArray name = column.trimmed();
        list += (list.isEmpty() ? "" : ", ") + expressions.value(name, "d." + name);
    }
    return list;
}

qint64 newestSequence(Session &session)
{
    Cursor row = session.run("SELECT coalesce(max(sequence), 0) FROM sendoff_event");
    row.next();
    return row.integer(0);
}

MetRows nextRows(Session &session, RowWalk &walk, RowQuestion question)
{
    MetRows met;
    while (true) {
        const char *table = walk.inHistory ? "sendoff_delivery_history" : "sendoff_delivery_hot";
        const bool mayMatch = walk.inHistory ? question.where.mayBeEnded : question.where.mayBeLive;
        std::optional<QString> goesOnAfter; // nothing: this table is done
        if (mayMatch) {
            const QStringList ids = matchingIds(session, table, walk.after, question, question.isSelective);
            auto rows = ids.isEmpty() ? std::vector<OperationRow>() : lockedRows(session, table, ids, question);
            std::move(rows.begin(), rows.end(), std::back_inserter(met.rows));
            const bool isFull = ids.size() >= question.limit;
            question.limit -= int(ids.size());
            goesOnAfter = isFull                 ? std::optional(ids.last())
                          : question.isSelective ? std::nullopt
                                                 : endOfLook(session, table, walk.after);
        }
        if (goesOnAfter) { // enough is met, or enough is looked at
            walk.after = *goesOnAfter;
            return met;
        }
        if (!walk.inHistory) {
            walk.inHistory = true;
            walk.after = QStringLiteral("");
        } else {
            met.isEnd = true;
            return met;
        }
    }
}

void scheduleAgain(Session &session, qint64 operation, const std::vector<ScheduledRow> &rows, Timestamp now)
{
    JsonRows live;
    JsonRows ended;
    size_t liveCount = 0;
    for (const ScheduledRow &each : rows) {
        const bool stands = isLive(each.row->state);
        liveCount += stands ? 1 : 0;
        const Timestamp start = std::max(each.due, now);
        (stands ? live : ended)
            .row()
            .text("id", each.row->id.value)
            .number("token", each.row->token.value)
            .number("due", start.time_since_epoch().count())
            .number("operation", operation)
            .text("reason", toText(each.keepsCounts ? Reason::Planned : Reason::None))
            .flag("keeps", each.keepsCounts)
            .number("expires", each.lifetime ? qint64((start + *each.lifetime).time_since_epoch().count()) : 0);
    }
    if (!live.isEmpty())
        rescheduleLive(session, live.json(), liveCount);
    if (!ended.isEmpty())
        bringBack(session, ended.json(), rows.size() - liveCount);
}

void endByPerson(Session &session, const std::vector<EndedRow> &rows)
{
    JsonRows live;
    JsonRows ended;
    size_t liveCount = 0;
    for (const EndedRow &each : rows) {
        const bool stands = isLive(each.row->state);
        liveCount += stands ? 1 : 0;
        // An attempt whose outcome nobody knows can't be cancelled away: people must still see it.
        const bool staysUnknown = each.row->hasUnknown && each.end == DeliveryState::Cancelled;
        (stands ? live : ended)
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
