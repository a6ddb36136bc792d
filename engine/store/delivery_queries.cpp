#include "store/delivery_queries.h"

#include "store/filter_sql.h"
#include "store/json_rows.h"
#include "store/record_rows.h"

#include <QHash>
#include <QRegularExpression>

namespace sendoff::store {

namespace {

constexpr int maxPage = 1'000;

// Where a page ended: the row's creation in the database's own words, since a millisecond is too coarse to page by.
struct PageEnd
{
    QString createdAt;
    QString id;
};

QString cursorText(const PageEnd &end)
{
    return QString::fromLatin1((end.createdAt + u'\n' + end.id)
                                   .toUtf8()
                                   .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals));
}

Result<PageEnd> pageEnd(const QString &cursor)
{
    static const QRegularExpression form(QStringLiteral(
        "\\A(\\d{4}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,6})?(?:Z|[+]00))\\n([^\\x{0}\\n]{1,200})\\z"));
    const auto decoded = QByteArray::fromBase64Encoding(cursor.toLatin1(), QByteArray::Base64UrlEncoding |
                                                                               QByteArray::AbortOnBase64DecodingErrors);
    const auto match = form.match(QString::fromUtf8(decoded.decoded));
    if (!decoded || !match.hasMatch())
        return Error{ErrorCode::Invalid,
                     QStringLiteral("the page cursor is not one that a list answered; start without one")};
    return PageEnd{match.captured(1), match.captured(2)};
}

// Each half stops at the limit by itself, so that both walk their index and the merge sees two pages at the most.
QByteArray bothHalves(const QByteArray &columns, const FilterSql &where, const QByteArray &tail)
{
    const auto half = [&](const char *table, const QByteArray &condition) {
        return "SELECT * FROM (SELECT " + columns + " FROM " + table + " d WHERE 1 = 1" + condition + tail + ") AS " +
               table + "_half";
    };
    return half("sendoff_delivery_hot", where.ofLive()) + " UNION ALL " +
           half("sendoff_delivery_history", where.ofEnded());
}

} // namespace

Result<DeliveryPage> listDeliveries(Database &database, const Filter &filter, DeliverySort, const QString &after, int limit)
{
    if (limit < 1 || limit > maxPage)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to %1").arg(maxPage)};
    Result<FilterSql> where = filterSql(filter, FilteredRows::Deliveries);
    if (!where)
        return where.error();
    if (!after.isEmpty()) {
        const Result<PageEnd> end = pageEnd(after);
        if (!end)
            return end.error();
        where->condition += " AND (d.created_at, d.id) < (?, ?)";
        where->values << end->createdAt << end->id;
    }
    QVariantList values = where->values;
    values << limit + 1;
    values += values;
    values << limit + 1;
    const QByteArray sql = QByteArray("SELECT ") + deliveryRecordValues + ", CAST(created_at AS text) FROM (" +
                           bothHalves(deliveryRecordColumns, *where, " ORDER BY d.created_at DESC, d.id DESC LIMIT ?") +
                           ") AS page ORDER BY created_at DESC, id DESC LIMIT ?";
    return database.read([&](Session &session) {
        DeliveryPage page;
        PageEnd end;
        Cursor row = session.run(sql, values);
        while (row.next()) {
            if (qsizetype(page.rows.size()) == limit) { // the one row more only says that there is a next page
                page.next = cursorText(end);
                break;
            }
            page.rows.push_back(deliveryRecord(row));
            end = {row.text(deliveryRecordWidth), page.rows.back().id.value};
        }
        return page;
    });
}

Result<qint64> countDeliveriesExactly(Database &database, const Filter &filter, qint64 cap)
{
    const Result<FilterSql> where = filterSql(filter, FilteredRows::Deliveries);
    if (!where)
        return where.error();
    QVariantList values = where->values;
    values << cap;
    values += values;
    values << cap;
    const QByteArray sql = "SELECT count(*) FROM (SELECT * FROM (" + bothHalves("1 AS one", *where, " LIMIT ?") +
                           ") AS found LIMIT ?) AS capped";
    return database.read([&](Session &session) {
        Cursor row = session.run(sql, values);
        row.next();
        return row.integer(0);
    });
}

Result<RowCount> countDeliveries(Database &database, const Filter &filter, qint64 cap)
{
    const Result<qint64> count = countDeliveriesExactly(database, filter, cap);
    if (!count)
        return count.error();
    return RowCount{*count, *count >= cap};
}

namespace {

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
            ", i.delivery_id FROM sendoff_operation_item i JOIN sendoff_operation o ON o.id = i.operation_id "
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
        Cursor row = session.run(QByteArray("SELECT ") + deliveryRecordValues + " FROM (" +
                                     bothHalves(deliveryRecordColumns, FilterSql{condition, {}, true, true},
                                                " ORDER BY d.created_at, d.id LIMIT ?") +
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
