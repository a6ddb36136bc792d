#include "tests/support/store_rows.h"

#include "store/json_rows.h"

#include <QUuid>

namespace sendoff::test {

namespace {

void insertRows(TestDatabase &store, const RowSpec &spec, const QString &idRows)
{
    const bool isEnded = !isLive(spec.state);
    store.run(
        QByteArray("INSERT INTO ") + (isEnded ? "sendoff_delivery_history" : "sendoff_delivery_hot") +
            " (id, event_id, event_sequence, type, tenant, category, channel, provider, lane, recipient, user_id, "
            "destination, "
            "revision, role, element, template, published_set, locale, time_zone, address, address_hash, address_mask, "
            "address_domain, address_last4, state, reason, has_secret, created_at, due_at, expires_at, attempts, "
            "failures, "
            "has_unknown, last_code, last_status, ended_at) "
            "SELECT r.id, r.event, e.sequence, ?, ?, ?, ?, ?, ?, r.recipient, ?, '', 0, ?, '', "
            "'booking-confirmed-driver', 0, 'en', '', "
            "?, 'hash', ?, '', '', ?, ?, CAST(? AS smallint), $now_plus(?), $now_plus(?), $now_plus(?), CAST(? AS "
            "integer), "
            "CAST(? AS integer), CAST(? AS smallint), ?, CAST(? AS integer), " +
            (isEnded ? "$now_plus(?)" : "NULL") +
            " FROM (SELECT value->>'id' AS id, value->>'event' AS event, value->>'recipient' AS recipient FROM $rows) "
            "r "
            "JOIN sendoff_event e ON e.id = r.event",
        QVariantList{spec.type,
                     spec.tenant,
                     spec.category,
                     QString(toText(spec.channel)),
                     spec.provider,
                     QString(toText(spec.lane)),
                     spec.user,
                     spec.role,
                     spec.address,
                     QString(spec.address.left(1) + u'…'),
                     QString(toText(spec.state)),
                     QString(toText(spec.reason)),
                     int(spec.hasSecret),
                     qint64(-spec.age.count()),
                     qint64(spec.dueIn.count()),
                     qint64(spec.expiresIn.count()),
                     spec.attempts,
                     spec.failures,
                     int(spec.hasUnknown),
                     spec.code.isEmpty() ? QVariant() : QVariant(spec.code),
                     spec.status} +
            (isEnded ? QVariantList{qint64(-spec.endedAgo.count())} : QVariantList{}) + QVariantList{idRows});
}

} // namespace

QString insertEvent(TestDatabase &store, const QString &id, EventState state, const QByteArray &payload)
{
    const QString used = id.isEmpty() ? QUuid::createUuid().toString(QUuid::WithoutBraces) : id;
    store.run("INSERT INTO sendoff_event (id, type, payload, state) VALUES (?, 'booking.confirmed', ?, ?)",
              {used, QString::fromUtf8(payload), QString(toText(state))});
    return used;
}

QString insertDelivery(TestDatabase &store, const RowSpec &spec)
{
    const QString id = spec.id.isEmpty() ? QUuid::createUuid().toString(QUuid::WithoutBraces) : spec.id;
    const QString event = spec.event.isEmpty() ? QStringLiteral("event-") + id : spec.event;
    if (store.number("SELECT count(*) FROM sendoff_event WHERE id = ?", {event}) == 0)
        insertEvent(store, event);
    store::JsonRows rows;
    rows.row().text("id", id).text("event", event).text("recipient", spec.user);
    insertRows(store, spec, rows.json());
    return id;
}

void insertDeliveries(TestDatabase &store, const RowSpec &spec, const QString &prefix, int count)
{
    store::JsonRows rows;
    for (int each = 0; each < count; ++each) {
        const QString id = QStringLiteral("%1-%2").arg(prefix).arg(each, 5, 10, QLatin1Char('0'));
        rows.row().text("id", id).text("event", QStringLiteral("event-") + id).text("recipient", spec.user);
    }
    store.run("INSERT INTO sendoff_event (id, type, payload, state) "
              "SELECT value->>'event', 'booking.confirmed', '{}', 'relayed' FROM $rows",
              {rows.json()});
    insertRows(store, spec, rows.json());
}

} // namespace sendoff::test
