#include "store/delivery_queue.h"
#include "store/destination_health.h"

#include "store/delivery_rows.h"
#include "store/json_rows.h"
#include "store/problem_rows.h"

namespace sendoff::store {

namespace {

// The settlement's columns as one relation; n_… so that they never meet a column of the delivery.
const QByteArray settlementColumns =
    "SELECT value->>'id' AS n_id, CAST(value->>'token' AS bigint) AS n_token, CAST(value->>'ended' AS integer) AS "
    "n_ended, "
    "value->>'state' AS n_state, value->>'reason' AS n_reason, value->>'detail' AS n_detail, "
    "CAST(value->>'delay' AS bigint) AS n_delay, CAST(value->>'failures' AS integer) AS n_failures, "
    "CAST(value->>'losses' AS integer) AS n_losses, CAST(value->>'unknown' AS smallint) AS n_unknown, "
    "CAST(value->>'duplicate' AS smallint) AS n_duplicate, CAST(value->>'attempted' AS integer) AS n_attempted, "
    "value->>'outcome' AS n_outcome, CAST(value->>'status' AS integer) AS n_status, value->>'code' AS n_code, "
    "value->>'text' AS n_text, value->>'problem' AS n_problem, CAST(value->>'wait' AS bigint) AS n_wait, "
    "value->>'message' AS n_message, "
    "value->>'frozen' AS n_frozen, value->>'title' AS n_title, value->>'body' AS n_body, value->>'link' AS n_link, "
    "value->>'locale' AS n_locale FROM $rows";

// What the settlement changes of a delivery; the rest stays. $(kind) is the fingerprint of a failure: PostgreSQL
// completes it with the provider, which only the row knows; SQLite has no such hash, there a step before has done it.
const std::pair<const char *, const char *> changedColumns[] = {
    {"state", "n_state"},
    {"reason", "n_reason"},
    {"detail", "n_detail"},
    {"due_at", "CASE WHEN n_ended = 1 THEN due_at ELSE $now_plus(n_delay) END"},
    {"failures", "n_failures"},
    {"losses", "n_losses"},
    {"lease_token", "lease_token + 1"},
    {"lease_holder", "NULL"},
    {"lease_until", "NULL"},
    {"has_unknown", "n_unknown"},
    {"possible_duplicate", "CASE WHEN possible_duplicate = 1 THEN 1 ELSE n_duplicate END"},
    {"last_outcome", "COALESCE(n_outcome, last_outcome)"},
    {"last_code", "COALESCE(n_code, last_code)"},
    {"last_status", "COALESCE(n_status, last_status)"},
    // What was accepted has no failure any more: a later bounce is not laid to an old one.
    {"fingerprint",
     "CASE WHEN n_outcome = 'accepted' THEN NULL WHEN n_problem IS NULL THEN fingerprint ELSE $(kind) END"},
    {"provider_message_id", "COALESCE(n_message, provider_message_id)"},
    {"accepted_at", "CASE WHEN n_state IN ('accepted', 'delivered') THEN $now ELSE accepted_at END"},
    {"ended_at", "CASE WHEN n_ended = 1 THEN $now ELSE NULL END"},
};

QByteArray completed(QByteArray expression, bool isPostgreSql)
{
    return expression.replace(
        "$(kind)", isPostgreSql
                       ? "encode(substring(sha256(convert_to(octet_length(convert_to(provider, 'UTF8')) || ':' || "
                         "provider || n_problem, 'UTF8')) FROM 1 FOR 8), 'hex')"
                       : "n_problem");
}

QByteArray assignments(bool isPostgreSql)
{
    QByteArray text;
    for (const auto &[column, expression] : changedColumns)
        text += QByteArray(text.isEmpty() ? "" : ", ") + column + " = " + completed(expression, isPostgreSql);
    return text;
}

// The history row of a delivery that ends: its columns, the changed ones replaced.
QByteArray endedExpressions(bool isPostgreSql)
{
    QByteArray text;
    for (const QByteArray &entry : QByteArray(deliveryColumns).split(',')) {
        QByteArray expression = entry.trimmed();
        for (const auto &[column, changed] : changedColumns) {
            if (expression == column)
                expression = completed(changed, isPostgreSql);
        }
        text += (text.isEmpty() ? "" : ", ") + expression;
    }
    return text;
}

const QByteArray attemptTarget = "INSERT INTO sendoff_attempt (delivery_id, number, lease_token, engine, provider, "
                                 "started_at, ended_at, outcome, status, code, "
                                 "text, wait_ms, next_delay_ms, possible_duplicate, provider_message_id) ";

QByteArray attemptExpressions(const char *from)
{
    return QByteArray("SELECT id, attempts, n_token, ?, provider, COALESCE(handed_at, $now), $now, n_outcome, "
                      "n_status, n_code, n_text, "
                      "n_wait, CASE WHEN n_ended = 1 THEN NULL ELSE n_delay END, n_duplicate, n_message FROM ") +
           from + " WHERE n_attempted = 1";
}

// What happened in this minute: attempts by outcome, ends by state. `from` has the settlement beside the row as it was.
QByteArray minuteRows(const QByteArray &from)
{
    return minuteTarget +
           "SELECT $at($now_us / 60000000 * 60000), ?, provider, channel, lane, kind, word, count(*), "
           "CAST(sum(took) AS bigint) FROM ("
           "SELECT provider, channel, lane, 'attempt' AS kind, n_outcome AS word, "
           "$ms($now) - $ms(COALESCE(handed_at, $now)) AS took FROM " +
           from +
           " WHERE n_attempted = 1 UNION ALL "
           "SELECT provider, channel, lane, 'end', n_state, 0 FROM " +
           from + " WHERE n_ended = 1) AS happened GROUP BY provider, channel, lane, kind, word " + minuteConflict;
}

// The items of operations that gave these rows back learn what came of it.
QByteArray toldItems(const QByteArray &from)
{
    return "UPDATE sendoff_operation_item AS i SET outcome = t.n_outcome, detail = t.n_code, "
           "result = CASE t.n_outcome WHEN 'accepted' THEN 'done' WHEN 'throttled' THEN i.result ELSE 'failed' END "
           "FROM (SELECT operation_id, id, n_outcome, n_code FROM " +
           from +
           " WHERE operation_id IS NOT NULL AND n_attempted = 1) AS t "
           "WHERE i.operation_id = t.operation_id AND i.delivery_id = t.id";
}

// The failures of a batch by their delivery's id, without the provider and channel that only the rows know.
using Kinds = QHash<QString, Problem>;

void append(JsonRows &rows, const Settlement &settlement, const Problem *kind)
{
    const Verdict &verdict = settlement.verdict;
    rows.row()
        .text("id", settlement.id.value)
        .number("token", settlement.token.value)
        .flag("ended", !isLive(verdict.state))
        .text("state", toText(verdict.state))
        .text("reason", toText(verdict.reason))
        .text("detail", storableText(verdict.detail, maxProviderText))
        .number("delay", verdict.delay.count())
        .number("failures", verdict.failures)
        .number("losses", settlement.losses)
        .flag("unknown", verdict.hasUnknown)
        .flag("duplicate", verdict.possibleDuplicate)
        .flag("attempted", settlement.attempt.has_value())
        .text("frozen", QString::fromUtf8(settlement.frozen));
    if (settlement.attempt) {
        const AttemptResult &attempt = *settlement.attempt;
        rows.text("outcome", toText(attempt.idempotencyConflict ? Outcome::Unknown : attempt.outcome))
            .number("status", attempt.status)
            .text("code", storableText(attempt.code, 100))
            .text("text", storableText(attempt.text, maxProviderText));
        if (kind)
            rows.text("problem", fingerprintTail(*kind));
        if (attempt.wait)
            rows.number("wait", attempt.wait->count());
        if (!attempt.providerMessageId.isEmpty())
            rows.text("message", storableText(attempt.providerMessageId, 200));
    }
    if (settlement.inbox) {
        rows.text("title", settlement.inbox->title)
            .text("body", settlement.inbox->body)
            .text("link", settlement.inbox->link)
            .text("locale", settlement.inbox->locale);
    }
}

const QByteArray inboxTarget =
    "INSERT INTO sendoff_inbox (id, user_id, tenant, event_id, type, locale, title, body, link) ";

// What was settled: ids, and of those that failed where they were going.
using Settled = QHash<QString, FailedRow>;

Settled settledRows(Cursor &&cursor)
{
    Settled rows;
    while (cursor.next())
        rows.insert(cursor.text(0), {cursor.text(1), fromText<Channel>(cursor.text(2)).value_or(Channel::Email)});
    return rows;
}

// One statement: whatever happens to the process or the connection, a delivery is settled with all that belongs to it
// or not at all, for one round trip a batch. Fenced by token alone: a state predicate would send the planner to the
// lease index.
Settled settleOnPostgreSql(Session &session, const QString &engine, const QString &rows)
{
    static const QByteArray statement =
        "WITH n AS MATERIALIZED (" + settlementColumns +
        "), "
        "gone AS (DELETE FROM sendoff_delivery_hot d USING n WHERE d.id = ANY(ARRAY(SELECT n_id FROM n WHERE n_ended = "
        "1)) "
        "AND d.id = n_id AND d.lease_token = n_token RETURNING d.*, n.*), "
        "back AS (UPDATE sendoff_delivery_hot d SET " +
        assignments(true) +
        " FROM n WHERE d.id = ANY(ARRAY(SELECT n_id FROM n WHERE n_ended = 0)) AND d.id = n_id AND d.lease_token = "
        "n_token "
        "RETURNING d.*, n.*), "
        "settled AS (SELECT * FROM gone UNION ALL SELECT * FROM back), "
        "attempted AS (" +
        attemptTarget + attemptExpressions("settled") +
        "), "
        "counted AS (" +
        minuteRows("settled") +
        "), "
        "told AS (" +
        toldItems("settled") +
        "), "
        "history AS (INSERT INTO sendoff_delivery_history (" +
        QByteArray(deliveryColumns) + ") SELECT " + endedExpressions(true) +
        " FROM gone), "
        "inbox AS (" +
        inboxTarget +
        "SELECT id, user_id, tenant, event_id, type, n_locale, n_title, n_body, n_link FROM gone WHERE n_title IS NOT "
        "NULL), "
        "unfrozen AS (DELETE FROM sendoff_content c USING gone WHERE c.delivery_id = gone.id), "
        // An edited payload stays while a person may send the row again.
        "unedited AS (DELETE FROM sendoff_edit c USING gone WHERE c.delivery_id = gone.id AND n_state IN ('accepted', "
        "'delivered')), "
        "frozen AS (INSERT INTO sendoff_content (delivery_id, body) SELECT id, n_frozen FROM back WHERE n_frozen <> '' "
        "ON CONFLICT (delivery_id) DO NOTHING) "
        "SELECT id, provider, channel FROM settled";
    return settledRows(session.run(statement, {rows, engine, engine}));
}

std::vector<FailedDelivery> failuresOf(const Settled &settled, const Kinds &kinds)
{
    std::vector<FailedDelivery> failed;
    for (auto kind = kinds.cbegin(); kind != kinds.cend(); ++kind) {
        const auto row = settled.constFind(kind.key());
        if (row == settled.cend())
            continue;
        Problem problem = *kind;
        problem.provider = row->provider;
        problem.channel = row->channel;
        failed.push_back({DeliveryId(kind.key()), coarsened(problem, ProblemGrain::Full)});
    }
    return failed;
}

// The fingerprints of the failed rows of temp.settling, which the fence has let through.
void completeProblems(Session &session, const std::vector<FailedDelivery> &failed)
{
    for (const FailedDelivery &each : failed)
        session.run("UPDATE temp.settling SET n_problem = ? WHERE n_id = ?", {each.problem.fingerprint, each.id.value});
}

// SQLite knows no data-changing CTE; its one writer makes the steps as good as one statement.
Settled settleOnSqlite(Session &session, const QString &engine, const QString &rows, const Kinds &kinds)
{
    session.command(
        "CREATE TEMP TABLE IF NOT EXISTS settling AS SELECT '' AS n_id, 0 AS n_token, 0 AS n_ended, '' AS n_state, "
        "'' AS n_reason, '' AS n_detail, 0 AS n_delay, 0 AS n_failures, 0 AS n_losses, 0 AS n_unknown, 0 AS "
        "n_duplicate, "
        "0 AS n_attempted, '' AS n_outcome, 0 AS n_status, '' AS n_code, '' AS n_text, '' AS n_problem, 0 AS n_wait, "
        "'' AS n_message, '' AS n_frozen, '' AS n_title, '' AS n_body, '' AS n_link, '' AS n_locale");
    session.command("CREATE INDEX IF NOT EXISTS temp.settling_id ON settling (n_id)");
    session.run("DELETE FROM temp.settling");
    // The fence, once: what is not in `settling` from here on was lost.
    session.run("INSERT INTO temp.settling SELECT n.* FROM (" + settlementColumns +
                    ") n CROSS JOIN sendoff_delivery_hot d ON d.id = n.n_id AND d.lease_token = n.n_token",
                {rows});
    const QByteArray both = "temp.settling CROSS JOIN sendoff_delivery_hot ON id = n_id";
    Settled settled = settledRows(session.run("SELECT id, provider, channel FROM " + both));
    completeProblems(session, failuresOf(settled, kinds));
    session.run(attemptTarget + attemptExpressions(both), {engine});
    session.run(minuteRows(both), {engine});
    session.run(toldItems(both));
    session.run(inboxTarget + "SELECT id, user_id, tenant, event_id, type, n_locale, n_title, n_body, n_link FROM " +
                both + " WHERE n_title IS NOT NULL");
    session.run("INSERT INTO sendoff_delivery_history (" + QByteArray(deliveryColumns) + ") SELECT " +
                endedExpressions(false) + " FROM " + both + " WHERE n_ended = 1");
    session.run("DELETE FROM sendoff_content WHERE delivery_id IN (SELECT n_id FROM temp.settling WHERE n_ended = 1)");
    session.run("DELETE FROM sendoff_edit WHERE delivery_id IN (SELECT n_id FROM temp.settling WHERE n_state IN "
                "('accepted', 'delivered'))");
    session.run("DELETE FROM sendoff_delivery_hot WHERE id IN (SELECT n_id FROM temp.settling WHERE n_ended = 1)");
    session.run("UPDATE sendoff_delivery_hot SET " + assignments(false) +
                " FROM temp.settling WHERE id = n_id AND n_ended = 0");
    session.run("INSERT INTO sendoff_content (delivery_id, body) SELECT n_id, n_frozen FROM temp.settling "
                "WHERE n_ended = 0 AND n_frozen <> '' ON CONFLICT (delivery_id) DO NOTHING");
    return settled;
}

} // namespace

Result<std::vector<DeliveryId>> settle(Database &database, const QString &engine,
                                       const std::vector<Settlement> &settlements)
{
    JsonRows rows;
    QStringList secretEvents;
    Kinds kinds;
    for (const Settlement &settlement : settlements) {
        const bool failed = settlement.attempt && isFailure(*settlement.attempt);
        append(rows, settlement,
               failed ? &*kinds.insert(settlement.id.value, problemOf({}, {}, *settlement.attempt)) : nullptr);
        if (settlement.hasSecret && !isLive(settlement.verdict.state))
            secretEvents += settlement.event.value;
    }
    ProblemWriter problems(database);
    auto lost = database.write([&](Session &session) -> std::vector<DeliveryId> {
        lockEvents(session, secretEvents);
        const Settled settled = session.isPostgreSql() ? settleOnPostgreSql(session, engine, rows.json())
                                                       : settleOnSqlite(session, engine, rows.json(), kinds);
        problems.write(session, failuresOf(settled, kinds));
        noteDestinations(session, settlements, [&](const DeliveryId &id) { return settled.contains(id.value); });
        scrubFinishedEvents(session, secretEvents);
        std::vector<DeliveryId> missing;
        for (const Settlement &settlement : settlements) {
            if (!settled.contains(settlement.id.value))
                missing.push_back(settlement.id);
        }
        return missing;
    });
    if (lost)
        problems.committed();
    return lost;
}

Result<void> recordLateResult(Database &database, const Settlement &settlement)
{
    if (!settlement.attempt)
        return {};
    const AttemptResult &attempt = *settlement.attempt;
    const bool accepted = attempt.outcome == Outcome::Accepted;
    return database.write([&](Session &session) {
        // Our own earlier write, whose commit we only did not hear of: nothing is late.
        if (session
                .run("SELECT 1 FROM sendoff_attempt WHERE delivery_id = ? AND lease_token = ?",
                     {settlement.id.value, settlement.token.value})
                .next())
            return;
        QString provider;
        {
            Cursor row = session.run("SELECT provider FROM sendoff_delivery WHERE id = ?", {settlement.id.value});
            if (!row.next())
                return;
            provider = row.text(0);
        }
        session.run(
            "INSERT INTO sendoff_receipt (provider, provider_event_id, provider_message_id, delivery_id, kind, source, "
            "detail, applied_at) "
            "VALUES (?, ?, ?, ?, ?, 'late_result', ?, $now) ON CONFLICT (provider, provider_event_id) DO NOTHING",
            {provider, QStringLiteral("late:%1:%2").arg(settlement.id.value).arg(settlement.token.value),
             storableText(attempt.providerMessageId, 200), settlement.id.value,
             accepted ? QStringLiteral("accepted") : QStringLiteral("failed"),
             storableText(QStringLiteral("%1 %2").arg(toText(attempt.outcome), attempt.code), 200)});
        if (!accepted)
            return;
        const QByteArray resolved =
            "state = 'accepted', reason = 'receipt_delivered', has_unknown = 0, "
            "detail = 'a late answer shows that it was taken', accepted_at = COALESCE(accepted_at, $now), "
            "provider_message_id = COALESCE(provider_message_id, ?), lease_token = lease_token + 1, "
            "ended_at = COALESCE(ended_at, $now) ";
        const QVariant message =
            attempt.providerMessageId.isEmpty() ? QVariant() : QVariant(storableText(attempt.providerMessageId, 200));
        JsonRows waiting;
        {
            Cursor row = session.run("UPDATE sendoff_delivery_hot SET " + resolved +
                                         "WHERE id = ? AND state IN ('scheduled', 'ready', 'held') RETURNING id",
                                     {message, settlement.id.value});
            while (row.next())
                waiting.row().text("id", row.text(0));
        }
        if (!waiting.isEmpty())
            moveToHistory(session, waiting.json());
        session.run("UPDATE sendoff_delivery_history SET " + resolved +
                        "WHERE id = ? AND state IN ('unknown', 'dead', 'expired')",
                    {message, settlement.id.value});
    });
}

} // namespace sendoff::store
