#include "store/event_queries.h"

#include "store/delivery_stories.h"
#include "store/filter_sql.h"
#include "store/record_rows.h"

#include <limits>

namespace sendoff::store {

Result<EventStory> eventStory(Database &database, const EventId &id)
{
    return database.read([&](Session &session) -> Result<EventStory> {
        EventStory story;
        {
            Cursor row = session.run(QByteArray("SELECT ") + eventRecordValues + " FROM sendoff_event e WHERE e.id = ?",
                                     {id.value});
            if (!row.next())
                return Error{ErrorCode::NotFound, QStringLiteral("there is no event with this id")};
            story.event = eventRecord(row);
        }
        story.deliveries = storiesWhere(session, " AND d.event_id = ?", {id.value}, maxStoriesOfEvent);
        return story;
    });
}

Result<std::vector<EventRecord>> listEvents(Database &database, const Filter &filter, qint64 beforeSequence, int limit)
{
    if (limit < 1 || limit > 1'000)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to 1000")};
    const Result<FilterSql> where = filterSql(filter, FilteredRows::Events);
    if (!where)
        return where.error();
    const QVariantList values =
        where->values + QVariantList{beforeSequence > 0 ? beforeSequence : std::numeric_limits<qint64>::max(), limit};
    return database.read([&](Session &session) {
        std::vector<EventRecord> events;
        Cursor row = session.run(QByteArray("SELECT ") + eventRecordValues + " FROM sendoff_event e WHERE 1 = 1" +
                                     where->condition + " AND e.sequence < ? ORDER BY e.sequence DESC LIMIT ?",
                                 values);
        while (row.next())
            events.push_back(eventRecord(row));
        return events;
    });
}

} // namespace sendoff::store
