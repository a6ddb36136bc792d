#include "store/delivery_rows.h"

#include "domain/json_document.h"
#include "store/database.h"
#include "store/json_rows.h"

namespace sendoff::store {

const char *const deliveryColumns = "id, event_id, event_sequence, type, tenant, category, channel, provider, lane, "
                                    "recipient, user_id, destination, revision, "
                                    "parent_id, role, element, template, published_set, locale, time_zone, sender, "
                                    "pins, address, address_sealed, seal_key, "
                                    "address_hash, address_mask, address_domain, address_last4, state, reason, detail, "
                                    "supersedes_key, has_secret, created_at, "
                                    "due_at, expires_at, vstart, claims, attempts, failures, losses, lease_token, "
                                    "lease_holder, lease_until, handed_at, "
                                    "first_handed_at, has_unknown, possible_duplicate, last_outcome, last_code, "
                                    "last_status, fingerprint, provider_message_id, "
                                    "accepted_at, content_removed_at, ended_at, operation_id";

// In one order, so that two transactions that count into the same rows wait for each other in turn and never in a ring.
const QByteArray minuteTarget = "INSERT INTO sendoff_minute AS m (minute, engine, provider, channel, lane, kind, word, "
                                "count, duration_ms) ";
const QByteArray minuteConflict =
    "ORDER BY provider, channel, lane, kind, word "
    "ON CONFLICT (minute, provider, channel, lane, kind, word, engine) DO UPDATE SET count = m.count + excluded.count, "
    "duration_ms = m.duration_ms + excluded.duration_ms";

namespace {

QString eventRows(const QStringList &events)
{
    JsonRows rows;
    for (const QString &event : events)
        rows.row().text("id", event);
    return rows.json();
}

} // namespace

void moveToHistory(Session &session, const QString &idRows)
{
    const QByteArray columns(deliveryColumns);
    QStringList secretEvents;
    {
        Cursor row = session.run("SELECT DISTINCT event_id FROM sendoff_delivery_hot "
                                 "WHERE id $any(SELECT value->>'id' FROM $rows) AND has_secret = 1",
                                 {idRows});
        while (row.next())
            secretEvents += row.text(0);
    }
    lockEvents(session, secretEvents);
    session.run("DELETE FROM sendoff_content WHERE delivery_id $any(SELECT value->>'id' FROM $rows)", {idRows});
    // An edited payload stays while a person may send the row again.
    session.run("DELETE FROM sendoff_edit WHERE delivery_id $any(SELECT h.id FROM $rows JOIN sendoff_delivery_hot h ON "
                "h.id = value->>'id' "
                "WHERE h.state IN ('accepted', 'delivered', 'superseded', 'discarded'))",
                {idRows});
    session.run(minuteTarget +
                    "SELECT $at($now_us / 60000000 * 60000), '', provider, channel, lane, 'end' AS kind, state AS "
                    "word, count(*), 0 "
                    "FROM sendoff_delivery_hot WHERE id $any(SELECT value->>'id' FROM $rows) "
                    "GROUP BY provider, channel, lane, state " +
                    minuteConflict,
                {idRows});
    if (session.isPostgreSql()) {
        session.run(
            "WITH gone AS (DELETE FROM sendoff_delivery_hot WHERE id $any(SELECT value->>'id' FROM $rows) RETURNING *) "
            "INSERT INTO sendoff_delivery_history (" +
                columns + ") SELECT " + columns + " FROM gone",
            {idRows});
    } else {
        session.run("INSERT INTO sendoff_delivery_history (" + columns + ") SELECT " + columns +
                        " FROM sendoff_delivery_hot WHERE id $any(SELECT value->>'id' FROM $rows)",
                    {idRows});
        session.run("DELETE FROM sendoff_delivery_hot WHERE id $any(SELECT value->>'id' FROM $rows)", {idRows});
    }
    scrubFinishedEvents(session, secretEvents);
}

void lockEvents(Session &session, const QStringList &events)
{
    if (session.isPostgreSql() && !events.isEmpty())
        session.run("SELECT id FROM sendoff_event WHERE id $any(SELECT value->>'id' FROM $rows) ORDER BY id FOR UPDATE",
                    {eventRows(events)});
}

void scrubFinishedEvents(Session &session, const QStringList &events)
{
    if (events.isEmpty())
        return;
    struct Found
    {
        QString id;
        QByteArray payload;
        QStringList pointers;
    };
    std::vector<Found> finished;
    {
        Cursor row =
            session.run("SELECT e.id, e.payload, e.secrets FROM sendoff_event e "
                        "WHERE e.id $any(SELECT value->>'id' FROM $rows) AND e.scrubbed_at IS NULL AND e.secrets <> '' "
                        "AND NOT EXISTS (SELECT 1 FROM sendoff_delivery_hot h WHERE h.event_id = e.id)",
                        {eventRows(events)});
        while (row.next())
            finished.push_back({row.text(0), row.bytes(1), row.text(2).split(u'\n')});
    }
    for (const Found &event : finished) {
        const Result<QByteArray> clean = scrubbed(event.payload, event.pointers);
        // A payload that can't be read any more is emptied: nothing secret may stay because of a fault.
        session.run("UPDATE sendoff_event SET payload = ?, scrubbed_at = $now WHERE id = ?",
                    {QString::fromUtf8(clean ? *clean : QByteArray("{}")), event.id});
    }
}

} // namespace sendoff::store
