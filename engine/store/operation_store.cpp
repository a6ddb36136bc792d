#include "store/operation_store.h"

#include "store/bound_text.h"
#include "store/filter_sql.h"
#include "store/operation_gate.h"
#include "store/operation_rows.h"
#include "store/operation_tally.h"
#include "store/record_rows.h"

#include <algorithm>

namespace sendoff::store {

namespace {

// By the view: what an edit holds in clear is not for people's programs.
std::optional<OperationRecord> recordOf(Session &session, const char *condition, const QVariant &value)
{
    Cursor row = session.run(
        QByteArray("SELECT ") + operationRecordValues + " FROM sendoff_v_operation o WHERE " + condition, {value});
    if (!row.next())
        return std::nullopt;
    return operationRecord(row);
}

Error noOperation(qint64 id)
{
    return {ErrorCode::NotFound, QStringLiteral("there is no operation %1").arg(id)};
}

Error hasEnded(const OperationRecord &record)
{
    return {ErrorCode::Refused, QStringLiteral("operation %1 has ended (%2)").arg(record.id).arg(record.state)};
}

using Refusal = std::function<Error(const OperationRecord &)>;

Result<OperationRecord> changed(Database &database, qint64 id, OperationChange change, qint64 value,
                                const QString &actor, const Refusal &refusal)
{
    return database.write([&](Session &session) -> Result<OperationRecord> {
        const bool isChanged = changeOperation(session, id, change, value, actor);
        const auto record = recordOf(session, "o.id = ?", id);
        if (!record)
            return noOperation(id);
        if (!isChanged)
            return refusal(*record);
        return *record;
    });
}

// How many rows its filter finds now that its verb could change and that were not part of it, among a bounded number
// looked at.
void addNewSince(Session &session, OperationRecord &record)
{
    const std::vector<DeliveryState> states = changeableStates(record.verb);
    if (states.empty() || record.state == QLatin1String("armed"))
        return;
    Result<Filter> filter = Filter::parse(record.filter);
    if (!filter || filter->isEmpty())
        return;
    FilterTerm ofStates;
    ofStates.field = QStringLiteral("state");
    for (const DeliveryState state : states)
        ofStates.values += toText(state);
    filter->terms.push_back(ofStates);
    const FilterSql others{" AND (d.operation_id IS NULL OR d.operation_id <> ?) AND NOT EXISTS (SELECT 1 FROM "
                           "sendoff_operation_item i WHERE i.operation_id = ? AND i.delivery_id = d.id)",
                           {record.id, record.id}};
    const Result<BoundedMatches> matches = boundedMatches(session, *filter, others, int(countCap));
    if (!matches)
        return;
    record.newSince = 0;
    if (matches->sql.isEmpty())
        return;
    Cursor row = session.run("SELECT count(*) FROM (" + matches->sql + ") AS few", matches->values);
    row.next();
    record.newSince = row.integer(0);
}

} // namespace

std::vector<DeliveryState> changeableStates(const QString &verb)
{
    using State = DeliveryState;
    if (verb == QLatin1String("retry"))
        return {State::Held,    State::Dead,    State::Unknown,   State::Cancelled,
                State::Expired, State::Bounced, State::Suppressed};
    if (verb == QLatin1String("edit"))
        return {State::Scheduled, State::Ready,   State::Held,    State::Dead,      State::Unknown,
                State::Cancelled, State::Expired, State::Bounced, State::Suppressed};
    if (verb == QLatin1String("cancel") || verb == QLatin1String("reschedule"))
        return {State::Scheduled, State::Ready, State::Held};
    if (verb == QLatin1String("discard"))
        return {State::Held, State::Dead, State::Unknown, State::Bounced};
    return {};
}

Result<OperationRecord> storeOperation(Database &database, const NewOperation &operation)
{
    return database.write([&](Session &session) -> Result<OperationRecord> {
        const qint64 id = insertOperation(session, operation);
        if (id == 0) {
            if (auto first = recordOf(session, "o.dedupe = ?", operation.dedupe))
                return *first;
            return Error{ErrorCode::Busy,
                         QStringLiteral("the same operation is being stored by somebody else; try again")};
        }
        return *recordOf(session, "o.id = ?", id);
    });
}

Result<OperationRecord> undoOperation(Database &database, qint64 id, const QString &actor)
{
    return changed(database, id, OperationChange::Undo, 0, actor, [](const OperationRecord &record) {
        if (record.state != QLatin1String("running"))
            return hasEnded(record);
        return Error{ErrorCode::Refused,
                     QStringLiteral("operation %1 runs already; stop it, what is done stays done").arg(record.id)};
    });
}

Result<OperationRecord> stopOperation(Database &database, qint64 id, const QString &actor)
{
    return changed(database, id, OperationChange::Stop, 0, actor, hasEnded);
}

Result<OperationRecord> pauseOperation(Database &database, qint64 id, bool paused, const QString &actor)
{
    return changed(database, id, paused ? OperationChange::Pause : OperationChange::Resume, 0, actor, hasEnded);
}

Result<OperationRecord> setOperationRate(Database &database, qint64 id, int rate, const QString &actor)
{
    return changed(database, id, OperationChange::Rate, rate, actor, hasEnded);
}

Result<OperationRecord> operationById(Database &database, qint64 id)
{
    return database.read([&](Session &session) -> Result<OperationRecord> {
        auto record = recordOf(session, "o.id = ?", id);
        if (!record)
            return noOperation(id);
        addNewSince(session, *record);
        return std::move(*record);
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
                                     " FROM sendoff_v_operation o ORDER BY o.id DESC LIMIT ?",
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
                        {id, boundText(result), boundText(result), limit});
        while (row.next())
            items.push_back({DeliveryId(row.text(0)), row.text(1), row.text(2), row.text(3), row.time(4)});
        return items;
    });
}

Result<std::vector<qint64>> openOperations(Database &database)
{
    return database.readOnce([](Session &session) {
        std::vector<qint64> ids;
        Cursor row =
            session.run("SELECT id FROM sendoff_operation WHERE state IN ('armed', 'running') AND armed_until <= $now "
                        "AND (is_paused = 0 OR stop_requested = 1) "
                        "ORDER BY CASE WHEN filter = '' THEN 0 ELSE 1 END, id LIMIT 100");
        while (row.next())
            ids.push_back(row.integer(0));
        return ids;
    });
}

Result<void> failOperation(Database &database, qint64 id, const QString &detail)
{
    return database.write([&](Session &session) {
        {
            Cursor row = session.run("SELECT 1 FROM sendoff_operation WHERE id = ? AND state IN ('armed', 'running') "
                                     "$lock",
                                     {id});
            if (!row.next())
                return;
        }
        endOperation(session, id, {QStringLiteral("failed"), detail, false});
    });
}

Result<std::optional<Milliseconds>> untilNextOperation(Database &database)
{
    return database.readOnce([](Session &session) -> std::optional<Milliseconds> {
        // A running one is somebody's, or waits for its own schedule: worth a look every second.
        Cursor row =
            session.run("SELECT min(CASE WHEN state = 'armed' THEN $ms(armed_until) - $ms($now) ELSE 1000 END) "
                        "FROM sendoff_operation WHERE state IN ('armed', 'running') "
                        "AND (is_paused = 0 OR stop_requested = 1)");
        if (!row.next() || row.isNull(0))
            return std::nullopt;
        return Milliseconds(std::max<qint64>(0, row.integer(0)));
    });
}

} // namespace sendoff::store
