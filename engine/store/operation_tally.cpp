#include "store/operation_tally.h"

#include "domain/delivery.h"
#include "store/bound_text.h"
#include "store/json_rows.h"

namespace sendoff::store {

namespace {

constexpr int itemsLooked = 2'000; // open items that one call looks at
constexpr int enoughOutcomes = 20; // before an operation may stop by itself

struct Untallied
{
    QString state;
    int stopAtFailures = 0;
    qint64 failed = 0; // as stored
    qint64 accepted = 0;
    QByteArray parameters;
    bool isEdit = false;
    bool givesBack = false; // its rows are sent again: they will have outcomes
};

std::optional<Untallied> lockUntallied(Session &session, qint64 id)
{
    Cursor row =
        session.run("SELECT state, coalesce(stop_at_failures, 0), failed_count, accepted_count, parameters, verb "
                    "FROM sendoff_operation WHERE id = ? AND is_tallied = 0 $skip_locked",
                    {id});
    if (!row.next())
        return std::nullopt;
    static const QStringList givingBack{QStringLiteral("retry"), QStringLiteral("edit"), QStringLiteral("reschedule")};
    const QString verb = row.text(5);
    return Untallied{row.text(0),  int(row.integer(1)),           row.integer(2),           row.integer(3),
                     row.bytes(4), verb == QLatin1String("edit"), givingBack.contains(verb)};
}

struct Counts
{
    qint64 open = 0; // given back, nothing known yet
    qint64 failed = 0;
    qint64 accepted = 0;
};

Counts countItems(Session &session, qint64 id)
{
    Counts counts;
    Cursor row = session.run("SELECT result, outcome, count(*) FROM sendoff_operation_item WHERE operation_id = ? "
                             "GROUP BY result, outcome",
                             {id});
    while (row.next()) {
        const QString result = row.text(0);
        const QString outcome = row.text(1);
        if (result == QLatin1String("failed"))
            counts.failed += row.integer(2);
        else if (result == QLatin1String("done") && outcome == QLatin1String("accepted"))
            counts.accepted += row.integer(2);
        else if (result == QLatin1String("done") && (outcome.isEmpty() || outcome == QLatin1String("throttled")))
            counts.open += row.integer(2);
    }
    return counts;
}

// What an item is told of a delivery that waits for nothing any more, or that another operation has.
struct Closing
{
    QString result;
    QString outcome;
    QString detail;
};

std::optional<Closing> closingOf(bool isLiveRow, bool isOurs, const QString &state)
{
    const Closing taken{QStringLiteral("done"), QStringLiteral("superseded"),
                        QStringLiteral("another operation took it over")};
    if (isLiveRow && !isOurs)
        return taken;
    if (isLiveRow && state == QLatin1String("held"))
        return Closing{QStringLiteral("failed"), state, QStringLiteral("it is held again and waits for a person")};
    if (isLiveRow)
        return std::nullopt;
    if (state.isEmpty())
        return Closing{QStringLiteral("failed"), QStringLiteral("expired"), QStringLiteral("retention took it")};
    if (state == QLatin1String("accepted") || state == QLatin1String("delivered"))
        return Closing{QStringLiteral("done"), QStringLiteral("accepted"), {}};
    if (!isOurs)
        return taken;
    if (state == QLatin1String("expired"))
        return Closing{QStringLiteral("failed"), state, QStringLiteral("it expired before it was tried")};
    if (state == QLatin1String("cancelled") || state == QLatin1String("discarded"))
        return Closing{QStringLiteral("failed"), state, QStringLiteral("a person ended it before it was tried")};
    return Closing{QStringLiteral("failed"), state, QStringLiteral("it ended as %1 without an attempt").arg(state)};
}

// Closes items of rows that ended without an attempt, among the next ones in the order of ids; answers how many.
int closeItems(Session &session, qint64 id, QString &after)
{
    JsonRows closed;
    int looked = 0;
    int count = 0;
    {
        Cursor row =
            session.run("SELECT i.delivery_id, coalesce(h.operation_id, 0), CASE WHEN h.id IS NULL THEN 0 ELSE 1 END, "
                        "coalesce(d.operation_id, 0), coalesce(h.state, d.state, '') FROM "
                        "(SELECT delivery_id FROM sendoff_operation_item WHERE operation_id = ? AND delivery_id > ? "
                        "AND result = 'done' AND outcome IN ('', 'throttled') ORDER BY delivery_id LIMIT ?) i "
                        "LEFT JOIN sendoff_delivery_hot h ON h.id = i.delivery_id "
                        "LEFT JOIN sendoff_delivery_history d ON d.id = i.delivery_id ORDER BY i.delivery_id",
                        {id, after, itemsLooked});
        while (row.next()) {
            ++looked;
            after = row.text(0);
            const bool isLiveRow = row.flag(2);
            const auto closing = closingOf(isLiveRow, row.integer(isLiveRow ? 1 : 3) == id, row.text(4));
            if (!closing)
                continue;
            ++count;
            closed.row()
                .text("id", row.text(0))
                .text("result", closing->result)
                .text("outcome", closing->outcome)
                .text("detail", closing->detail);
        }
    }
    if (looked < itemsLooked)
        after = QStringLiteral("");
    if (count > 0)
        session.run("UPDATE sendoff_operation_item SET result = r.result, outcome = r.outcome, detail = r.detail FROM "
                    "(SELECT value->>'id' AS id, value->>'result' AS result, value->>'outcome' AS outcome, "
                    "value->>'detail' AS detail FROM $rows) r WHERE operation_id = ? AND delivery_id = r.id "
                    "AND sendoff_operation_item.outcome IN ('', 'throttled')",
                    {closed.json(), id});
    return count;
}

QString selfStopDetail(const Counts &counts)
{
    const QString detail = QStringLiteral("stopped by itself: %1 of %2 failed again")
                               .arg(counts.failed)
                               .arg(counts.failed + counts.accepted);
    return counts.open == 0
               ? detail
               : detail +
                     QStringLiteral("; %1 that it gave back are not tried yet and stay scheduled").arg(counts.open);
}

bool failsTooMuch(const Untallied &operation, const Counts &counts)
{
    const qint64 outcomes = counts.failed + counts.accepted;
    return operation.state == QLatin1String("running") && operation.stopAtFailures > 0 && outcomes >= enoughOutcomes &&
           counts.failed * 100 > outcomes * operation.stopAtFailures;
}

// Whether an ended edit still held something in clear.
bool forgetParameters(Session &session, qint64 id, const QByteArray &json)
{
    const auto parameters = operationParameters(json);
    if (!parameters) // nobody can read it, so nobody needs it
        return session.run("UPDATE sendoff_operation SET parameters = '{}' WHERE id = ?", {id}).affected() > 0;
    const OperationParameters kept = forgotten(*parameters);
    if (kept == *parameters)
        return false;
    session.run("UPDATE sendoff_operation SET parameters = ? WHERE id = ?", {QString::fromUtf8(toJson(kept)), id});
    return true;
}

} // namespace

OperationParameters forgotten(OperationParameters parameters)
{
    const QString address = parameters.address.trimmed();
    const bool isNumber = address.startsWith(u'+') || (!address.isEmpty() && address.front().isDigit());
    const Channel channel = address.contains(u'@') ? Channel::Email : isNumber ? Channel::Sms : Channel::Push;
    parameters.address = addressTraces(channel, address).mask;
    parameters.payloadPatch.clear();
    return parameters;
}

void endOperation(Session &session, qint64 id, const OperationEnd &end)
{
    session.run(
        "UPDATE sendoff_operation SET state = ?, detail = ?, ended_at = $now, started_at = coalesce(started_at, $now), "
        "lease_until = NULL, is_tallied = ? WHERE id = ?",
        {end.state, boundText(end.detail), end.isTallied ? 1 : 0, id});
    QByteArray parameters;
    {
        Cursor row = session.run("SELECT parameters FROM sendoff_operation WHERE id = ? AND verb = 'edit'", {id});
        if (!row.next())
            return;
        parameters = row.bytes(0);
    }
    forgetParameters(session, id, parameters);
}

Result<std::vector<qint64>> untalliedOperations(Database &database)
{
    return database.readOnce([](Session &session) {
        std::vector<qint64> ids;
        Cursor row = session.run("SELECT id FROM sendoff_operation WHERE is_tallied = 0 AND state <> 'armed' "
                                 "ORDER BY id LIMIT 100");
        while (row.next())
            ids.push_back(row.integer(0));
        return ids;
    });
}

Result<bool> tallyOperation(Database &database, qint64 id, TallyPlace &place)
{
    QString after = place.after.value(id, QStringLiteral(""));
    bool isTallied = false;
    const Result<bool> changed = database.write([&](Session &session) -> bool {
        isTallied = false;
        QString from = after;
        const auto operation = lockUntallied(session, id);
        if (!operation)
            return false;
        bool moved = operation->givesBack && closeItems(session, id, from) > 0;
        const Counts counts = operation->givesBack ? countItems(session, id) : Counts{};
        const bool isRunning = operation->state == QLatin1String("running");
        if (failsTooMuch(*operation, counts)) {
            endOperation(session, id, {QStringLiteral("stopped"), selfStopDetail(counts), counts.open == 0});
            moved = true;
        } else if (!isRunning && operation->isEdit) {
            moved = forgetParameters(session, id, operation->parameters) || moved;
        }
        isTallied = !isRunning && counts.open == 0;
        if (isTallied || counts.failed != operation->failed || counts.accepted != operation->accepted) {
            session.run(
                "UPDATE sendoff_operation SET failed_count = ?, accepted_count = ?, is_tallied = ? WHERE id = ?",
                {counts.failed, counts.accepted, isTallied ? 1 : 0, id});
            moved = true;
        }
        after = from;
        return moved;
    });
    if (!changed || isTallied || after.isEmpty())
        place.after.remove(id);
    else
        place.after.insert(id, after);
    return changed;
}

} // namespace sendoff::store
