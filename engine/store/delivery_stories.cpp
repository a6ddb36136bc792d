#include "store/delivery_stories.h"

#include "store/json_rows.h"
#include "store/record_rows.h"

#include <QHash>

namespace sendoff::store {

namespace {

// Each table stops at the limit by itself, so that both walk their index and the merge sees two lots at the most.
QByteArray bothTables(const QByteArray &condition)
{
    const auto half = [&](const char *table) {
        return QByteArray("SELECT * FROM (SELECT ") + deliveryRecordColumns + " FROM " + table + " d WHERE 1 = 1" +
               condition + " ORDER BY d.created_at, d.id LIMIT ?) AS " + table + "_half";
    };
    return half("sendoff_delivery_hot") + " UNION ALL " + half("sendoff_delivery_history");
}

void addAttempts(Session &session, std::vector<DeliveryStory> &stories, const QHash<QString, size_t> &places,
                 const QString &ids)
{
    Cursor row = session.run(
        "SELECT delivery_id, number, engine, provider, $ms(started_at), $ms(ended_at), outcome, status, code, text, "
        "wait_ms, next_delay_ms, possible_duplicate, provider_message_id FROM sendoff_attempt "
        "WHERE delivery_id $any(SELECT value->>'id' FROM $rows) ORDER BY number, ended_at",
        {ids});
    while (row.next()) {
        AttemptRecord attempt;
        attempt.number = int(row.integer(1));
        attempt.engine = row.text(2);
        attempt.provider = row.text(3);
        attempt.startedAt = row.time(4);
        attempt.endedAt = row.time(5);
        attempt.outcome = row.text(6);
        attempt.status = int(row.integer(7));
        attempt.code = row.text(8);
        attempt.text = row.text(9);
        if (!row.isNull(10))
            attempt.wait = Milliseconds(row.integer(10));
        if (!row.isNull(11))
            attempt.nextDelay = Milliseconds(row.integer(11));
        attempt.possibleDuplicate = row.flag(12);
        attempt.providerMessageId = row.text(13);
        stories[places.value(row.text(0))].attempts.push_back(std::move(attempt));
    }
}

void addReceipts(Session &session, std::vector<DeliveryStory> &stories, const QHash<QString, size_t> &places,
                 const QString &ids)
{
    Cursor row = session.run(
        "SELECT delivery_id, kind, provider, source, detail, $ms(occurred_at), $ms(arrived_at) FROM sendoff_receipt "
        "WHERE delivery_id $any(SELECT value->>'id' FROM $rows) ORDER BY arrived_at, id",
        {ids});
    while (row.next()) {
        stories[places.value(row.text(0))].receipts.push_back(
            {row.text(1), row.text(2), row.text(3), row.text(4), row.maybeTime(5), row.time(6)});
    }
}

void addOperations(Session &session, std::vector<DeliveryStory> &stories, const QHash<QString, size_t> &places,
                   const QString &ids)
{
    Cursor row = session.run(
        QByteArray("SELECT ") + operationRecordValues +
            ", i.delivery_id FROM sendoff_operation_item i JOIN sendoff_v_operation o ON o.id = i.operation_id "
            "WHERE i.delivery_id $any(SELECT value->>'id' FROM $rows) ORDER BY o.id",
        {ids});
    while (row.next())
        stories[places.value(row.text(operationRecordWidth))].operations.push_back(operationRecord(row));
}

void addEvents(Session &session, std::vector<DeliveryStory> &stories)
{
    JsonRows ids;
    for (const DeliveryStory &story : stories)
        ids.row().text("id", story.delivery.event.value);
    QHash<QString, EventRecord> events;
    Cursor row = session.run(QByteArray("SELECT ") + eventRecordValues +
                                 " FROM sendoff_event e WHERE e.id $any(SELECT value->>'id' FROM $rows)",
                             {ids.json()});
    while (row.next())
        events.insert(row.text(0), eventRecord(row));
    for (DeliveryStory &story : stories) {
        story.event = events.value(story.delivery.event.value);
        story.event.id = story.delivery.event; // stands even where retention took the event
    }
}

} // namespace

std::vector<DeliveryStory> storiesWhere(Session &session, const QByteArray &condition, const QVariantList &values,
                                        int limit)
{
    std::vector<DeliveryStory> stories;
    QHash<QString, size_t> places;
    JsonRows ids;
    {
        QVariantList bound = values + QVariantList{limit};
        bound += bound;
        bound << limit;
        Cursor row = session.run(QByteArray("SELECT ") + deliveryRecordValues + " FROM (" + bothTables(condition) +
                                     ") AS page ORDER BY created_at, id LIMIT ?",
                                 bound);
        while (row.next()) {
            DeliveryStory story;
            story.delivery = deliveryRecord(row);
            places.insert(story.delivery.id.value, stories.size());
            ids.row().text("id", story.delivery.id.value);
            stories.push_back(std::move(story));
        }
    }
    if (stories.empty())
        return stories;
    addAttempts(session, stories, places, ids.json());
    addReceipts(session, stories, places, ids.json());
    addOperations(session, stories, places, ids.json());
    addEvents(session, stories);
    return stories;
}

Result<DeliveryStory> deliveryStory(Database &database, const DeliveryId &id)
{
    return database.read([&](Session &session) -> Result<DeliveryStory> {
        std::vector<DeliveryStory> found = storiesWhere(session, " AND d.id = ?", {id.value}, 1);
        if (found.empty())
            return Error{ErrorCode::NotFound, QStringLiteral("there is no delivery with this id")};
        return std::move(found.front());
    });
}

} // namespace sendoff::store
