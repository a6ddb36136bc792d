#include "store/bound_text.h"
#include "store/filter_sql.h"
#include "store/json_rows.h"
#include "store/operation_rows.h"
#include "store/operation_store.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace sendoff::store {

namespace {

// The holder's own time to come back for the next batch; after it any engine goes on.
constexpr qint64 leaseMs = 10'000;
// Retried rows are given due times at the operation's rate. The batches may run this far ahead of those times, so
// that a large retry is soon stored, and a stop still finds the rest untouched.
constexpr Milliseconds maxAhead{600'000};

// One operation, locked to the end of the transaction.
struct Taken
{
    qint64 id = 0;
    QString verb;
    QString filter;
    qint64 watermark = 0;
    qint64 expected = 0;
    qint64 rate = 0;
    bool isStopped = false;
    Timestamp createdAt;
    Timestamp now;
    qint64 counted = 0;
    // Where it stands: first through the live rows, then the finished ones, so that a row that ends meanwhile is met.
    bool inHistory = false;
    QString after;     // the last delivery's id, or event's sequence
    Timestamp lastDue; // given to the last row that was scheduled
};

struct Progress
{
    qint64 done = 0;
    qint64 skipped = 0;
};

std::optional<Taken> take(Session &session, qint64 id, const QString &holder)
{
    Cursor row =
        session.run("SELECT verb, filter, watermark, expected, rate, stop_requested, $ms(created_at), $ms($now), "
                    "done_count + skipped_count + failed_count, cursor FROM sendoff_operation "
                    "WHERE id = ? AND state IN ('armed', 'running') AND armed_until <= $now "
                    "AND (lease_until IS NULL OR lease_until <= $now OR engine = ?) $skip_locked",
                    {id, holder});
    if (!row.next())
        return std::nullopt;
    Taken taken;
    taken.id = id;
    taken.verb = row.text(0);
    taken.filter = row.text(1);
    taken.watermark = row.integer(2);
    taken.expected = row.integer(3);
    taken.rate = row.integer(4);
    taken.isStopped = row.flag(5);
    taken.createdAt = row.time(6);
    taken.now = row.time(7);
    taken.counted = row.integer(8);
    const QJsonObject cursor = QJsonDocument::fromJson(row.bytes(9)).object();
    taken.inHistory = cursor.value(QLatin1String("history")).toBool();
    taken.after = cursor.value(QLatin1String("after")).toString(QStringLiteral(""));
    taken.lastDue = Timestamp(Milliseconds(cursor.value(QLatin1String("due")).toInteger()));
    return taken;
}

void end(Session &session, const Taken &taken, const QString &state, const QString &detail)
{
    session.run(
        "UPDATE sendoff_operation SET state = ?, detail = ?, ended_at = $now, started_at = coalesce(started_at, $now), "
        "lease_until = NULL WHERE id = ?",
        {state, boundText(detail), taken.id});
}

void keepProgress(Session &session, const Taken &taken, const Progress &progress, const QString &holder)
{
    const QJsonObject cursor{{QStringLiteral("history"), taken.inHistory},
                             {QStringLiteral("after"), taken.after},
                             {QStringLiteral("due"), qint64(taken.lastDue.time_since_epoch().count())}};
    session.run("UPDATE sendoff_operation SET state = 'running', started_at = coalesce(started_at, $now), engine = ?, "
                "lease_until = $now_plus(?), cursor = ?, done_count = done_count + ?, skipped_count = skipped_count + "
                "? WHERE id = ?",
                {holder, leaseMs, QString::fromUtf8(QJsonDocument(cursor).toJson(QJsonDocument::Compact)),
                 progress.done, progress.skipped, taken.id});
}

void writeItems(Session &session, const Taken &taken, const JsonRows &items)
{
    if (items.isEmpty())
        return;
    session.run("INSERT INTO sendoff_operation_item (operation_id, delivery_id, result, detail) "
                "SELECT CAST(? AS bigint), value->>'id', value->>'result', value->>'detail' FROM $rows",
                {taken.id, items.json()});
}

QString endingDetail(const Taken &taken, const Progress &last)
{
    const qint64 missing = taken.expected - taken.counted - last.done - last.skipped;
    if (missing <= 0)
        return {};
    return QStringLiteral("%1 of the expected rows no longer matched when it ran").arg(missing);
}

// The next rows in id order, locked; rows that this operation has met before are never met again.
std::vector<OperationRow> nextRows(Session &session, Taken &taken, const FilterSql &where, int limit)
{
    std::vector<OperationRow> rows;
    while (true) {
        const int left = limit - int(rows.size());
        auto found = operationRows(
            session, taken.inHistory ? "sendoff_delivery_history" : "sendoff_delivery_hot",
            (taken.inHistory ? where.ofEnded() : where.ofLive()) +
                " AND d.event_sequence <= ? AND d.id > ? AND NOT EXISTS (SELECT 1 FROM sendoff_operation_item i "
                "WHERE i.operation_id = ? AND i.delivery_id = d.id) ORDER BY d.id LIMIT ? $lock",
            where.values + QVariantList{taken.watermark, taken.after, taken.id, left});
        if (!found.empty())
            taken.after = found.back().id.value;
        const bool isLast = int(found.size()) < left;
        std::move(found.begin(), found.end(), std::back_inserter(rows));
        if (!isLast || taken.inHistory)
            return rows;
        taken.inHistory = true;
        taken.after = QStringLiteral("");
    }
}

// A scrub locks the event; after this lock its word on the secret stands until our commit.
void lockSecrets(Session &session, std::vector<OperationRow> &rows)
{
    JsonRows events;
    for (const OperationRow &row : rows) {
        if (row.hasSecret && !row.secretGone)
            events.row().text("id", row.event.value);
    }
    if (events.isEmpty())
        return;
    QStringList scrubbedEvents;
    {
        Cursor found =
            session.run("SELECT id, $ms(scrubbed_at) FROM sendoff_event WHERE id $any(SELECT value->>'id' FROM $rows) "
                        "ORDER BY id $lock",
                        {events.json()});
        while (found.next()) {
            if (!found.isNull(1))
                scrubbedEvents += found.text(0);
        }
    }
    for (OperationRow &row : rows)
        row.secretGone = row.secretGone || scrubbedEvents.contains(row.event.value);
}

Progress changeRows(Session &session, Taken &taken, const OperationPlan &plan, const std::vector<OperationRow> &rows)
{
    Progress progress;
    JsonRows items;
    std::vector<ScheduledRow> scheduled;
    std::vector<EndedRow> ended;
    // Rounded up, so that the rate is never passed.
    const Milliseconds step(plan.perSecond > 0 ? (1'000 + plan.perSecond - 1) / plan.perSecond : 0);
    for (const OperationRow &row : rows) {
        const RowChange change = plan.change(row);
        items.row().text("id", row.id.value);
        if (change.kind == RowChange::Kind::Skip) {
            items.text("result", QStringLiteral("skipped")).text("detail", change.detail);
            ++progress.skipped;
            continue;
        }
        items.text("result", QStringLiteral("done")).text("detail", QString());
        ++progress.done;
        if (change.kind == RowChange::Kind::End) {
            ended.push_back({&row, change.end});
            continue;
        }
        taken.lastDue = std::max(taken.lastDue + step, taken.now);
        scheduled.push_back({&row, taken.lastDue, change.lifetime});
    }
    writeItems(session, taken, items);
    if (!scheduled.empty())
        scheduleAgain(session, scheduled, taken.now);
    if (!ended.empty())
        endByPerson(session, ended);
    return progress;
}

Progress retryEvents(Session &session, Taken &taken, const FilterSql &where, int limit)
{
    Progress progress;
    JsonRows items;
    JsonRows events;
    {
        Cursor row =
            session.run("SELECT e.id, e.sequence FROM sendoff_event e WHERE e.state = 'rejected'" + where.condition +
                            " AND e.sequence <= ? AND e.sequence > ? ORDER BY e.sequence LIMIT ? $lock",
                        where.values + QVariantList{taken.watermark, taken.after.toLongLong(), limit});
        while (row.next()) {
            items.row().text("id", row.text(0)).text("result", QStringLiteral("done")).text("detail", QString());
            events.row().text("id", row.text(0));
            taken.after = row.text(1);
            ++progress.done;
        }
    }
    if (progress.done == 0)
        return progress;
    writeItems(session, taken, items);
    session.run("UPDATE sendoff_event SET state = 'pending', tries = 0, reason = NULL, relay_after = NULL "
                "WHERE id $any(SELECT value->>'id' FROM $rows) AND state = 'rejected'",
                {events.json()});
    return progress;
}

} // namespace

Result<BatchCount> runOperationBatch(Database &database, qint64 id, const QString &holder, int limit,
                                     const PlanOperation &plan)
{
    return database.write([&](Session &session) -> Result<BatchCount> {
        BatchCount count;
        std::optional<Taken> taken = take(session, id, holder);
        if (!taken)
            return count;
        count.wasTaken = true;
        if (taken->isStopped) {
            end(session, *taken, QStringLiteral("stopped"),
                QStringLiteral("stopped by a person; what is done stays done"));
            return count;
        }
        const Result<OperationPlan> planned = plan(taken->verb, taken->filter, taken->rate);
        if (!planned) {
            end(session, *taken, QStringLiteral("failed"), planned.error().message);
            return count;
        }
        if (taken->lastDue > taken->now + maxAhead) {
            count.wasTaken = false;
            return count;
        }
        const Result<FilterSql> where = filterSql(
            planned->filter, planned->ofEvents ? FilteredRows::Events : FilteredRows::Deliveries, taken->createdAt);
        if (!where) {
            end(session, *taken, QStringLiteral("failed"), where.error().message);
            return count;
        }
        Progress progress;
        if (planned->ofEvents) {
            progress = retryEvents(session, *taken, *where, limit);
        } else {
            std::vector<OperationRow> rows = nextRows(session, *taken, *where, limit);
            lockSecrets(session, rows);
            progress = changeRows(session, *taken, *planned, rows);
        }
        count.looked = int(progress.done + progress.skipped);
        count.changed = int(progress.done);
        keepProgress(session, *taken, progress, holder);
        if (count.looked < limit)
            end(session, *taken, QStringLiteral("done"), endingDetail(*taken, progress));
        return count;
    });
}

} // namespace sendoff::store
