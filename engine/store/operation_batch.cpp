#include "store/control_store.h"
#include "store/filter_sql.h"
#include "store/json_rows.h"
#include "store/operation_edit.h"
#include "store/operation_rows.h"
#include "store/operation_store.h"
#include "store/operation_tally.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <algorithm>

namespace sendoff::store {

namespace {

// The holder's own time to come back for the next batch; after it any engine goes on.
constexpr qint64 leaseMs = 10'000;
// Retried rows are given due times at the operation's rate. The batches may run this far ahead of those times, so
// that a large retry is soon stored, and a stop still finds the rest untouched. One that may stop by itself stays
// close: what it has given back is tried even then.
constexpr Milliseconds maxAhead{600'000};
constexpr Milliseconds maxAheadOnProbation{15'000};
// Rows that are due and wait may be this much worth of the rate: then their providers don't keep up.
constexpr int backlogSeconds = 10;
constexpr int maxEdits = 50; // a batch: each reads a payload

using Microseconds = std::chrono::microseconds;

// One operation, locked to the end of the transaction.
struct Taken
{
    qint64 id = 0;
    StoredOperation stored;
    QString actor;
    QString reason;
    qint64 watermark = 0;
    qint64 expected = 0;
    int stopAtFailures = 0;
    bool isStopped = false;
    Timestamp createdAt;
    std::optional<Timestamp> startedAt;
    qint64 done = 0;
    qint64 counted = 0;
    RowWalk walk;
    Microseconds slot{0}; // given to the last row that was scheduled, since 1970
};

struct Progress
{
    qint64 done = 0;
    qint64 skipped = 0;
    bool isEnd = false;
};

std::optional<Taken> take(Session &session, qint64 id, const QString &holder)
{
    Cursor row = session.run(
        "SELECT verb, filter, watermark, expected, rate, stop_requested, $ms(created_at), $ms($now), done_count, "
        "done_count + skipped_count, cursor, parameters, coalesce(stop_at_failures, 0), $ms(started_at), actor, reason "
        "FROM sendoff_operation WHERE id = ? AND state IN ('armed', 'running') AND armed_until <= $now "
        "AND (is_paused = 0 OR stop_requested = 1) "
        "AND (lease_until IS NULL OR lease_until <= $now OR engine = ?) $skip_locked",
        {id, holder});
    if (!row.next())
        return std::nullopt;
    Taken taken;
    taken.id = id;
    taken.stored = {row.text(0), row.text(1), row.bytes(11), row.integer(4), row.time(7)};
    taken.watermark = row.integer(2);
    taken.expected = row.integer(3);
    taken.isStopped = row.flag(5);
    taken.createdAt = row.time(6);
    taken.done = row.integer(8);
    taken.counted = row.integer(9);
    const QJsonObject cursor = QJsonDocument::fromJson(row.bytes(10)).object();
    taken.walk.inHistory = cursor.value(QLatin1String("history")).toBool();
    taken.walk.after = cursor.value(QLatin1String("after")).toString(QStringLiteral(""));
    taken.slot = Microseconds(cursor.value(QLatin1String("slot_us")).toInteger());
    taken.stopAtFailures = int(row.integer(12));
    taken.startedAt = row.maybeTime(13);
    taken.actor = row.text(14);
    taken.reason = row.text(15);
    return taken;
}

void keepProgress(Session &session, const Taken &taken, const Progress &progress, const QString &holder)
{
    const QJsonObject cursor{{QStringLiteral("history"), taken.walk.inHistory},
                             {QStringLiteral("after"), taken.walk.after},
                             {QStringLiteral("slot_us"), qint64(taken.slot.count())}};
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

// The due time of the next row at the operation's rate, a quarter of a step around it by chance, so that rows that
// failed together don't come back in step.
Timestamp nextDue(Taken &taken, qint64 perSecond)
{
    const auto now = std::chrono::duration_cast<Microseconds>(taken.stored.now.time_since_epoch());
    if (perSecond <= 0)
        return taken.stored.now;
    const Microseconds step(1'000'000 / perSecond);
    taken.slot = std::max(taken.slot + step, now);
    const double part = (QRandomGenerator::global()->generateDouble() - 0.5) / 2;
    const Microseconds jittered = taken.slot + Microseconds(qint64(part * double(step.count())));
    return Timestamp(std::chrono::duration_cast<Milliseconds>(std::max(jittered, now)));
}

// What a batch does with the rows it met.
class Changes
{
public:
    Changes(Session &session, Taken &taken, const OperationPlan &plan)
        : m_session(session)
        , m_taken(taken)
        , m_plan(plan)
    {}

    Progress apply(const std::vector<OperationRow> &rows)
    {
        for (const OperationRow &row : rows)
            add(row, m_plan.change(row));
        applyEdits();
        writeItems(m_session, m_taken, m_items);
        if (!m_scheduled.empty())
            scheduleAgain(m_session, m_taken.id, m_scheduled, m_taken.stored.now);
        if (!m_ended.empty())
            endByPerson(m_session, m_ended);
        return m_progress;
    }

private:
    void add(const OperationRow &row, const RowChange &change)
    {
        switch (change.kind) {
        case RowChange::Kind::Skip:
            skip(row.id, change.detail);
            return;
        case RowChange::Kind::Edit:
            m_edited.push_back({&row, nextDue(m_taken, m_plan.perSecond), change.lifetime});
            return;
        case RowChange::Kind::End:
            m_ended.push_back({&row, change.end});
            break;
        case RowChange::Kind::Reschedule:
            m_scheduled.push_back({&row, m_plan.parameters.dueAt.value_or(m_taken.stored.now), {}, true});
            break;
        case RowChange::Kind::Schedule:
            m_scheduled.push_back({&row, nextDue(m_taken, m_plan.perSecond), change.lifetime, false});
            break;
        }
        done(row.id, {});
    }

    void applyEdits()
    {
        if (m_edited.empty())
            return;
        const EditRequest request{m_taken.id, &m_plan.parameters, m_plan.hashKey, m_taken.stored.now};
        const auto results = editRows(m_session, request, m_edited);
        for (size_t at = 0; at < results.size(); ++at) {
            const DeliveryId &parent = m_edited[at].row->id;
            if (results[at].child.isEmpty())
                skip(parent, results[at].whyNot);
            else
                done(results[at].child, QStringLiteral("replaces delivery %1").arg(parent.value));
        }
    }

    void done(const DeliveryId &id, const QString &detail)
    {
        m_items.row().text("id", id.value).text("result", QStringLiteral("done")).text("detail", detail);
        ++m_progress.done;
    }

    void skip(const DeliveryId &id, const QString &why)
    {
        m_items.row().text("id", id.value).text("result", QStringLiteral("skipped")).text("detail", why);
        ++m_progress.skipped;
    }

    Session &m_session;
    Taken &m_taken;
    const OperationPlan &m_plan;
    JsonRows m_items;
    std::vector<ScheduledRow> m_scheduled;
    std::vector<EndedRow> m_ended;
    std::vector<EditedRow> m_edited;
    Progress m_progress;
};

bool namesRows(const Filter &filter)
{
    return std::any_of(filter.terms.cbegin(), filter.terms.cend(), [](const FilterTerm &term) {
        return term.op == FilterTerm::Operator::Equals && !term.isNegated &&
               (term.field == QLatin1String("id") || term.field == QLatin1String("event"));
    });
}

Progress changeRows(Session &session, Taken &taken, const OperationPlan &plan, const FilterSql &where, int limit)
{
    const bool isEdit = taken.stored.verb == QLatin1String("edit");
    RowQuestion question{where,           namesRows(plan.filter), taken.id,
                         taken.watermark, plan.parameters.dueAt,  isEdit ? std::min(limit, maxEdits) : limit};
    MetRows met = nextRows(session, taken.walk, std::move(question));
    lockSecrets(session, met.rows);
    Progress progress = Changes(session, taken, plan).apply(met.rows);
    progress.isEnd = met.isEnd;
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
                        where.values + QVariantList{taken.watermark, taken.walk.after.toLongLong(), limit});
        while (row.next()) {
            items.row().text("id", row.text(0)).text("result", QStringLiteral("done")).text("detail", QString());
            events.row().text("id", row.text(0));
            taken.walk.after = row.text(1);
            ++progress.done;
        }
    }
    progress.isEnd = progress.done < limit;
    if (progress.done == 0)
        return progress;
    writeItems(session, taken, items);
    session.run("UPDATE sendoff_event SET state = 'pending', tries = 0, reason = NULL, relay_after = NULL "
                "WHERE id $any(SELECT value->>'id' FROM $rows) AND state = 'rejected'",
                {events.json()});
    return progress;
}

// Whether it has given back more than its providers take.
bool mustWait(Session &session, const Taken &taken, const OperationPlan &plan)
{
    const auto ahead = taken.stopAtFailures > 0 ? maxAheadOnProbation : maxAhead;
    if (taken.slot > taken.stored.now.time_since_epoch() + ahead)
        return true;
    const bool isYoung = !taken.startedAt || taken.stored.now - *taken.startedAt < std::chrono::seconds(backlogSeconds);
    if (!plan.givesBack || plan.perSecond <= 0 || isYoung) // so young that it can't have
        return false;
    return session
        .run("SELECT 1 FROM sendoff_delivery_hot WHERE operation_id = ? AND due_at <= $now AND state IN ('scheduled', "
             "'ready') LIMIT 1 OFFSET ?",
             {taken.id, plan.perSecond * backlogSeconds})
        .next();
}

void endAsControl(Session &session, const Taken &taken, const OperationPlan &plan)
{
    const Result<QString> standing =
        applyControl(session, {taken.stored.verb, plan.parameters, taken.reason, taken.actor});
    session.run("UPDATE sendoff_operation SET done_count = ? WHERE id = ?", {standing ? 1 : 0, taken.id});
    endOperation(session, taken.id,
                 standing ? OperationEnd{QStringLiteral("done"), *standing, true}
                          : OperationEnd{QStringLiteral("failed"), standing.error().message, true});
}

BatchCount runTaken(Session &session, Taken &taken, const OperationPlan &plan, const QString &holder, int limit)
{
    BatchCount count;
    count.wasTaken = true;
    if (plan.kind == OperationPlan::Kind::Control) {
        endAsControl(session, taken, plan);
        count.looked = count.changed = 1;
        return count;
    }
    if (mustWait(session, taken, plan)) {
        count.wasTaken = false;
        return count;
    }
    const bool ofEvents = plan.kind == OperationPlan::Kind::Events;
    const Result<FilterSql> where =
        filterSql(plan.filter, ofEvents ? FilteredRows::Events : FilteredRows::Deliveries, taken.createdAt);
    if (!where) {
        endOperation(session, taken.id, {QStringLiteral("failed"), where.error().message, taken.done == 0});
        return count;
    }
    const Progress progress =
        ofEvents ? retryEvents(session, taken, *where, limit) : changeRows(session, taken, plan, *where, limit);
    count.looked = int(progress.done + progress.skipped);
    count.changed = int(progress.done);
    if (count.looked == 0 && !progress.isEnd)
        count.looked = 1;
    keepProgress(session, taken, progress, holder);
    if (progress.isEnd)
        endOperation(session, taken.id,
                     {QStringLiteral("done"), endingDetail(taken, progress),
                      !plan.givesBack || taken.done + progress.done == 0});
    return count;
}

} // namespace

Result<BatchCount> runOperationBatch(Database &database, qint64 id, const QString &holder, int limit,
                                     const PlanOperation &plan)
{
    return database.write([&](Session &session) -> Result<BatchCount> {
        std::optional<Taken> taken = take(session, id, holder);
        if (!taken)
            return BatchCount{};
        BatchCount ended;
        ended.wasTaken = true;
        const Result<OperationPlan> planned = plan(taken->stored);
        const bool hasOutcomes = planned && planned->givesBack && taken->done > 0;
        if (taken->isStopped) {
            endOperation(session, id,
                         {QStringLiteral("stopped"), QStringLiteral("stopped by a person; what is done stays done"),
                          !hasOutcomes});
            return ended;
        }
        if (!planned) {
            endOperation(session, id, {QStringLiteral("failed"), planned.error().message, taken->done == 0});
            return ended;
        }
        return runTaken(session, *taken, *planned, holder, limit);
    });
}

} // namespace sendoff::store
