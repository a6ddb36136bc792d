#include "store/operation_store.h"

#include "store/audit_store.h"
#include "store/bound_text.h"
#include "store/filter_sql.h"
#include "store/operation_rows.h"
#include "store/record_rows.h"

#include <algorithm>

namespace sendoff::store {

namespace {

std::optional<OperationRecord> recordOf(Session &session, const char *condition, const QVariant &value)
{
    Cursor row = session.run(
        QByteArray("SELECT ") + operationRecordValues + " FROM sendoff_operation o WHERE " + condition, {value});
    if (!row.next())
        return std::nullopt;
    return operationRecord(row);
}

Error noOperation(qint64 id)
{
    return {ErrorCode::NotFound, QStringLiteral("there is no operation %1").arg(id)};
}

QString objectName(qint64 id)
{
    return QStringLiteral("operation %1").arg(id);
}

} // namespace

Result<OperationRecord> storeOperation(Database &database, const NewOperation &operation)
{
    const QVariant dedupe = operation.dedupe.isEmpty() ? QVariant() : QVariant(operation.dedupe);
    return database.write([&](Session &session) -> Result<OperationRecord> {
        qint64 id = 0;
        {
            Cursor row = session.run(
                "INSERT INTO sendoff_operation (verb, filter, watermark, expected, rate, reason, actor, dedupe, "
                "armed_until, state) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, $now_plus(?), 'armed') ON CONFLICT (dedupe) DO NOTHING RETURNING id",
                {operation.verb, operation.filter, operation.watermark, operation.expected, operation.rate,
                 boundText(operation.reason), boundText(operation.actor), dedupe, qint64(operation.armed.count())});
            if (row.next())
                id = row.integer(0);
        }
        if (id == 0) {
            if (auto first = recordOf(session, "o.dedupe = ?", operation.dedupe))
                return *first;
            return Error{ErrorCode::Busy,
                         QStringLiteral("the same operation is being stored by somebody else; try again")};
        }
        appendAudit(session, {operation.actor, operation.verb, objectName(id),
                              QStringLiteral("%1 | expected %2 | %3")
                                  .arg(operation.filter)
                                  .arg(operation.expected)
                                  .arg(operation.reason)});
        return *recordOf(session, "o.id = ?", id);
    });
}

Result<OperationRecord> undoOperation(Database &database, qint64 id, const QString &actor)
{
    return database.write([&](Session &session) -> Result<OperationRecord> {
        const int undone = session
                               .run("UPDATE sendoff_operation SET state = 'undone', ended_at = $now, detail = 'taken "
                                    "back before it ran' "
                                    "WHERE id = ? AND state = 'armed'",
                                    {id})
                               .affected();
        const auto record = recordOf(session, "o.id = ?", id);
        if (!record)
            return noOperation(id);
        if (undone == 0) {
            return Error{ErrorCode::Refused,
                         record->state == QLatin1String("running")
                             ? QStringLiteral("operation %1 runs already; stop it, what is done stays done").arg(id)
                             : QStringLiteral("operation %1 has ended (%2)").arg(id).arg(record->state)};
        }
        appendAudit(session, {actor, QStringLiteral("undo"), objectName(id), {}});
        return *record;
    });
}

Result<OperationRecord> stopOperation(Database &database, qint64 id, const QString &actor)
{
    return database.write([&](Session &session) -> Result<OperationRecord> {
        const int stopped =
            session
                .run("UPDATE sendoff_operation SET stop_requested = 1, "
                     "ended_at = CASE WHEN state = 'armed' THEN $now ELSE ended_at END, "
                     "detail = CASE WHEN state = 'armed' THEN 'taken back before it ran' ELSE detail END, "
                     "state = CASE WHEN state = 'armed' THEN 'undone' ELSE state END WHERE id = ? AND state IN "
                     "('armed', 'running')",
                     {id})
                .affected();
        const auto record = recordOf(session, "o.id = ?", id);
        if (!record)
            return noOperation(id);
        if (stopped == 0)
            return Error{ErrorCode::Refused, QStringLiteral("operation %1 has ended (%2)").arg(id).arg(record->state)};
        appendAudit(session, {actor, QStringLiteral("stop"), objectName(id), {}});
        return *record;
    });
}

Result<OperationRecord> pauseOperation(Database &, qint64 id, bool, const QString &)
{
    return noOperation(id);
}

Result<OperationRecord> setOperationRate(Database &, qint64 id, int, const QString &)
{
    return noOperation(id);
}

Result<OperationRecord> operationById(Database &database, qint64 id)
{
    return database.read([&](Session &session) -> Result<OperationRecord> {
        if (auto record = recordOf(session, "o.id = ?", id))
            return *record;
        return noOperation(id);
    });
}

Result<OperationRecord> operationByDedupe(Database &database, const QString &dedupe)
{
    return database.read([&](Session &session) -> Result<OperationRecord> {
        if (auto record = recordOf(session, "o.dedupe = ?", dedupe))
            return *record;
        return Error{ErrorCode::NotFound, QStringLiteral("there is no such operation")};
    });
}

Result<std::vector<OperationRecord>> listOperations(Database &database, int limit)
{
    if (limit < 1 || limit > 1'000)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to 1000")};
    return database.read([&](Session &session) {
        std::vector<OperationRecord> records;
        Cursor row = session.run(QByteArray("SELECT ") + operationRecordValues +
                                     " FROM sendoff_operation o ORDER BY o.id DESC LIMIT ?",
                                 {limit});
        while (row.next())
            records.push_back(operationRecord(row));
        return records;
    });
}

Result<std::vector<OperationItemRecord>> operationItems(Database &database, qint64 id, const QString &result, int limit)
{
    if (limit < 1 || limit > 100'000)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to 100000")};
    return database.read([&](Session &session) {
        std::vector<OperationItemRecord> items;
        Cursor row =
            session.run("SELECT delivery_id, result, detail, outcome, $ms(at) FROM sendoff_operation_item "
                        "WHERE operation_id = ? AND (? = '' OR result = ?) ORDER BY at DESC, delivery_id LIMIT ?",
                        {id, result, result, limit});
        while (row.next())
            items.push_back({DeliveryId(row.text(0)), row.text(1), row.text(2), row.text(3), row.time(4)});
        return items;
    });
}

Result<OperationScope> operationScope(Database &database, const Filter &filter, int limit)
{
    const Result<FilterSql> where = filterSql(filter, FilteredRows::Deliveries);
    if (!where)
        return where.error();
    return database.read([&](Session &session) {
        OperationScope scope;
        scope.watermark = newestSequence(session);
        scope.rows = operationRows(session, "sendoff_delivery_hot", where->ofLive() + " LIMIT ?",
                                   where->values + QVariantList{limit});
        const int left = limit - int(scope.rows.size());
        if (left > 0) {
            auto finished = operationRows(session, "sendoff_delivery_history", where->ofEnded() + " LIMIT ?",
                                          where->values + QVariantList{left});
            std::move(finished.begin(), finished.end(), std::back_inserter(scope.rows));
        }
        return scope;
    });
}

Result<EventScope> rejectedEventScope(Database &database, const Filter &filter, int limit)
{
    const Result<FilterSql> where = filterSql(filter, FilteredRows::Events);
    if (!where)
        return where.error();
    return database.read([&](Session &session) {
        EventScope scope;
        scope.watermark = newestSequence(session);
        Cursor row =
            session.run("SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_event e WHERE e.state = 'rejected'" +
                            where->condition + " LIMIT ?) AS few",
                        where->values + QVariantList{limit});
        row.next();
        scope.count = row.integer(0);
        return scope;
    });
}

Result<std::vector<qint64>> openOperations(Database &database)
{
    return database.read([](Session &session) {
        std::vector<qint64> ids;
        Cursor row =
            session.run("SELECT id FROM sendoff_operation WHERE state IN ('armed', 'running') AND armed_until <= $now "
                        "ORDER BY id LIMIT 100");
        while (row.next())
            ids.push_back(row.integer(0));
        return ids;
    });
}

Result<void> failOperation(Database &database, qint64 id, const QString &detail)
{
    return database.write([&](Session &session) {
        session.run("UPDATE sendoff_operation SET state = 'failed', detail = ?, ended_at = $now, lease_until = NULL "
                    "WHERE id = ? AND state IN ('armed', 'running')",
                    {boundText(detail), id});
    });
}

Result<std::optional<Milliseconds>> untilNextOperation(Database &database)
{
    return database.read([](Session &session) -> std::optional<Milliseconds> {
        // A running one is somebody's, or waits for its own schedule: worth a look every five seconds.
        Cursor row =
            session.run("SELECT min(CASE WHEN state = 'armed' THEN $ms(armed_until) - $ms($now) ELSE 5000 END) "
                        "FROM sendoff_operation WHERE state IN ('armed', 'running')");
        if (!row.next() || row.isNull(0))
            return std::nullopt;
        return Milliseconds(std::max<qint64>(0, row.integer(0)));
    });
}

} // namespace sendoff::store
