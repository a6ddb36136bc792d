#include "store/operation_gate.h"

#include "store/audit_store.h"
#include "store/bound_text.h"
#include "store/sql_error.h"

namespace sendoff::store {

namespace {

// What the command is about: the rows it chooses, or its target.
QString scopeText(const NewOperation &operation)
{
    if (!operation.filter.isEmpty())
        return QStringLiteral("%1 | expected %2").arg(operation.filter, QString::number(operation.expected));
    const Result<OperationParameters> parameters = operationParameters(operation.parameters);
    if (!parameters)
        return {};
    return QStringLiteral("%1 %2").arg(parameters->targetKind, parameters->target).trimmed();
}

constexpr qsizetype maxFilter = 8'000;
constexpr qsizetype maxReason = 2'000;
constexpr qsizetype maxParameters = 65'536;
constexpr qsizetype maxDedupe = 200;
constexpr qint64 maxRate = 1'000;
constexpr qint64 maxArmed = 86'400'000;

[[noreturn]] void refuse(const QString &message)
{
    throw SqlError({ErrorCode::Invalid, message});
}

// The same limits as sendoff_submit_operation in 0003_rights.sql.
void check(const NewOperation &operation)
{
    static const QStringList verbs{
        QStringLiteral("retry"),   QStringLiteral("cancel"), QStringLiteral("reschedule"),  QStringLiteral("edit"),
        QStringLiteral("pause"),   QStringLiteral("resume"), QStringLiteral("retry_event"), QStringLiteral("quota"),
        QStringLiteral("reset"),   QStringLiteral("note"),   QStringLiteral("discard"),     QStringLiteral("erase"),
        QStringLiteral("suppress")};
    if (!verbs.contains(operation.verb))
        refuse(QStringLiteral("there is no operation with this verb"));
    if (operation.filter.size() > maxFilter)
        refuse(
            QStringLiteral("filter is longer than %1 characters; choose by a condition instead of ids").arg(maxFilter));
    if (operation.reason.size() > maxReason)
        refuse(QStringLiteral("reason is longer than %1 characters").arg(maxReason));
    if (operation.parameters.size() > maxParameters)
        refuse(QStringLiteral("the operation's parameters are larger than 64 KiB"));
    if (operation.dedupe.size() > maxDedupe)
        refuse(QStringLiteral("dedupe is longer than %1 characters").arg(maxDedupe));
    if (operation.rate < 0 || operation.rate > maxRate)
        refuse(QStringLiteral("rate must be 0 to %1").arg(maxRate));
    if (operation.stopAtFailures < 0 || operation.stopAtFailures > 100)
        refuse(QStringLiteral("stop-at-failures must be 0 to 100 percent"));
    if (operation.armed.count() < 0 || operation.armed.count() > maxArmed)
        refuse(QStringLiteral("the time to undo must be 0 to 24 h"));
}

QString objectName(qint64 id)
{
    return QStringLiteral("operation %1").arg(id);
}

qint64 insertIntoFile(Session &session, const NewOperation &operation)
{
    const QVariant dedupe = operation.dedupe.isEmpty() ? QVariant() : QVariant(operation.dedupe);
    qint64 id = 0;
    {
        Cursor row = session.run(
            "INSERT INTO sendoff_operation (verb, filter, watermark, expected, parameters, rate, stop_at_failures, "
            "reason, actor, dedupe, armed_until, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, $now_plus(?), 'armed') "
            "ON CONFLICT (dedupe) DO NOTHING RETURNING id",
            {operation.verb, boundText(operation.filter), operation.watermark, operation.expected,
             QString::fromUtf8(operation.parameters), operation.rate, operation.stopAtFailures,
             boundText(operation.reason), boundText(operation.actor), dedupe, qint64(operation.armed.count())});
        if (!row.next())
            return 0;
        id = row.integer(0);
    }
    appendAudit(session, {operation.actor, operation.verb, objectName(id),
                          QStringLiteral("%1 | %2").arg(scopeText(operation), operation.reason)});
    return id;
}

QString wordOf(OperationChange change)
{
    switch (change) {
    case OperationChange::Undo:
        return QStringLiteral("undo");
    case OperationChange::Stop:
        return QStringLiteral("stop");
    case OperationChange::Pause:
        return QStringLiteral("pause");
    case OperationChange::Resume:
        return QStringLiteral("resume");
    case OperationChange::Rate:
        return QStringLiteral("rate");
    }
    return {};
}

int changeInFile(Session &session, qint64 id, OperationChange change, qint64 value)
{
    switch (change) {
    case OperationChange::Undo:
        return session
            .run("UPDATE sendoff_operation SET state = 'undone', ended_at = $now, detail = 'taken back before it ran' "
                 "WHERE id = ? AND state = 'armed'",
                 {id})
            .affected();
    case OperationChange::Stop:
        return session
            .run("UPDATE sendoff_operation SET stop_requested = 1, "
                 "ended_at = CASE WHEN state = 'armed' THEN $now ELSE ended_at END, "
                 "detail = CASE WHEN state = 'armed' THEN 'taken back before it ran' ELSE detail END, "
                 "state = CASE WHEN state = 'armed' THEN 'undone' ELSE state END "
                 "WHERE id = ? AND state IN ('armed', 'running')",
                 {id})
            .affected();
    case OperationChange::Pause:
    case OperationChange::Resume:
        return session
            .run("UPDATE sendoff_operation SET is_paused = ? WHERE id = ? AND state IN ('armed', 'running')",
                 {change == OperationChange::Pause ? 1 : 0, id})
            .affected();
    case OperationChange::Rate:
        return session
            .run("UPDATE sendoff_operation SET rate = ? WHERE id = ? AND state IN ('armed', 'running')", {value, id})
            .affected();
    }
    return 0;
}

} // namespace

qint64 insertOperation(Session &session, const NewOperation &operation)
{
    check(operation);
    if (!session.isPostgreSql())
        return insertIntoFile(session, operation);
    Cursor row =
        session.run("SELECT sendoff_submit_operation(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    {operation.verb, boundText(operation.filter), operation.watermark, operation.expected,
                     QString::fromUtf8(operation.parameters), operation.rate, operation.stopAtFailures,
                     boundText(operation.reason), qint64(operation.armed.count()), boundText(operation.dedupe)});
    return row.next() ? row.integer(0) : 0;
}

bool changeOperation(Session &session, qint64 id, OperationChange change, qint64 value, const QString &actor)
{
    if (change == OperationChange::Rate && (value < 1 || value > maxRate))
        refuse(QStringLiteral("rate must be 1 to %1 a second").arg(maxRate));
    if (session.isPostgreSql()) {
        Cursor row = session.run("SELECT sendoff_change_operation(?, ?, ?)", {id, wordOf(change), value});
        return row.next() && row.flag(0);
    }
    if (changeInFile(session, id, change, value) == 0)
        return false;
    appendAudit(session,
                {actor, wordOf(change), objectName(id),
                 change == OperationChange::Rate ? QStringLiteral("%1 a second").arg(value) : QStringLiteral("")});
    return true;
}

} // namespace sendoff::store
