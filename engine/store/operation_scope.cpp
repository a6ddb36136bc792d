#include "store/delivery_scan.h"
#include "store/filter_sql.h"
#include "store/json_rows.h"
#include "store/operation_rows.h"
#include "store/operation_store.h"
#include "store/record_rows.h"

#include <algorithm>

namespace sendoff::store {

namespace {

// Rows that a scope looks at, so that a filter that matches little keeps nobody waiting.
constexpr int maxLooked = 20'000;
constexpr int minLooked = 1'500; // in each part, however many there are
constexpr int sampleRows = 5;

// Rows that are alike to the rules, how many people they reach, and the newest of them: three answers of one read.
QByteArray answersSql()
{
    return "SELECT 'group', state, channel, provider, category, coalesce(last_code, ''), has_address, has_secret, "
           "has_unknown, is_expired, secret_gone, content_gone, count(*) FROM ("
           "SELECT m.state, m.channel, m.provider, m.category, m.last_code, "
           "CASE WHEN m.address_mask = '' THEN 0 ELSE 1 END AS has_address, m.has_secret, m.has_unknown, "
           "CASE WHEN m.expires_at <= $greatest($now, $at(?)) THEN 1 ELSE 0 END AS is_expired, "
           "CASE WHEN e.scrubbed_at IS NULL THEN 0 ELSE 1 END AS secret_gone, "
           "CASE WHEN e.id IS NULL OR m.content_removed_at IS NOT NULL OR e.content_removed_at IS NOT NULL THEN 1 "
           "ELSE 0 END AS content_gone FROM m LEFT JOIN sendoff_event e ON e.id = m.event_id) AS facts "
           "GROUP BY state, channel, provider, category, coalesce(last_code, ''), has_address, has_secret, "
           "has_unknown, is_expired, secret_gone, content_gone UNION ALL "
           "SELECT 'people', '', '', '', '', '', 0, 0, 0, 0, 0, 0, count(DISTINCT recipient) FROM m UNION ALL "
           "SELECT 'sample', id, '', '', '', '', 0, 0, 0, 0, 0, 0, 1 FROM "
           "(SELECT id FROM m ORDER BY created_at DESC, id DESC LIMIT ?) AS newest";
}

OperationScope::Group groupOf(const Cursor &row)
{
    OperationScope::Group group;
    group.row.state = fromText<DeliveryState>(row.text(1)).value_or(DeliveryState::Leased);
    group.row.channel = row.text(2);
    group.row.provider = row.text(3);
    group.row.category = row.text(4);
    group.row.code = row.text(5);
    group.row.hasAddress = row.flag(6);
    group.row.hasSecret = row.flag(7);
    group.row.hasUnknown = row.flag(8);
    group.row.isExpired = row.flag(9);
    group.row.secretGone = row.flag(10);
    group.row.contentGone = row.flag(11);
    group.count = row.integer(12);
    return group;
}

std::vector<DeliveryRecord> recordsOf(Session &session, const QString &ids)
{
    std::vector<DeliveryRecord> records;
    const auto half = [](const char *table) {
        return QByteArray("SELECT ") + deliveryRecordColumns + " FROM " + table +
               " d WHERE d.id $any(SELECT value->>'id' FROM $rows)";
    };
    Cursor row =
        session.run(QByteArray("SELECT ") + deliveryRecordValues + " FROM (" + half("sendoff_delivery_hot") +
                        " UNION ALL " + half("sendoff_delivery_history") + ") AS few ORDER BY created_at DESC, id DESC",
                    {ids, ids});
    while (row.next())
        records.push_back(deliveryRecord(row));
    return records;
}

// Whether a part has more rows than were looked at.
bool isCutOff(Session &session, const BoundedMatches &matches)
{
    return std::any_of(matches.bounds.cbegin(), matches.bounds.cend(),
                       [&](const BoundedMatches::Bound &bound) { return session.run(bound.sql, bound.values).next(); });
}

} // namespace

Result<BoundedMatches> boundedMatches(Session &session, const Filter &filter, const FilterSql &further, int limit)
{
    const Result<Scan> scan = planScan(session, filter, DeliverySort::Newest, ScanFor::Count);
    if (!scan)
        return scan.error();
    BoundedMatches matches;
    QByteArray all;
    const int looks = std::max(minLooked, maxLooked / std::max(1, int(scan->parts.size())));
    for (const ScanPart &part : scan->parts) {
        // Rows that the index alone chooses all match: the limit is bound enough.
        const int bound = part.rest.condition.isEmpty() && further.condition.isEmpty() ? limit : looks;
        const QByteArray reach = part.from + " WHERE 1 = 1" + part.reach.condition;
        const QByteArray order = part.isGathered ? QByteArray() : orderOf(*scan);
        all += (all.isEmpty() ? "SELECT d.* FROM (SELECT " : " UNION ALL SELECT d.* FROM (SELECT ") +
               QByteArray(scopeColumns) + " FROM " + reach + order + " LIMIT ?) AS d WHERE 1 = 1" +
               part.rest.condition + further.condition;
        matches.values += part.reach.values + QVariantList{bound} + part.rest.values + further.values;
        if (bound == looks)
            matches.bounds.push_back(
                {"SELECT 1 FROM " + reach + order + " LIMIT 1 OFFSET ?", part.reach.values + QVariantList{bound}});
    }
    if (all.isEmpty())
        return matches;
    matches.sql = "SELECT * FROM (" + all + ") AS found LIMIT ?";
    matches.values << limit;
    return matches;
}

Result<OperationScope> operationScope(Database &database, const Filter &filter, int limit,
                                      std::optional<Timestamp> expiryAt)
{
    const qint64 expiry = expiryAt ? expiryAt->time_since_epoch().count() : 0;
    return database.read([&](Session &session) -> Result<OperationScope> {
        const Result<BoundedMatches> matches = boundedMatches(session, filter, {}, limit);
        if (!matches)
            return matches.error();
        OperationScope scope;
        scope.watermark = newestSequence(session);
        if (matches->sql.isEmpty())
            return scope;
        JsonRows samples;
        {
            Cursor row = session.run("WITH m AS MATERIALIZED (" + matches->sql + ") " + answersSql(),
                                     matches->values + QVariantList{expiry, sampleRows});
            while (row.next()) {
                if (row.text(0) == QLatin1String("people")) {
                    scope.people = row.integer(12);
                } else if (row.text(0) == QLatin1String("sample")) {
                    samples.row().text("id", row.text(1));
                } else {
                    scope.groups.push_back(groupOf(row));
                    scope.count += scope.groups.back().count;
                }
            }
        }
        if (!samples.isEmpty())
            scope.samples = recordsOf(session, samples.json());
        scope.isCapped = scope.count >= limit || isCutOff(session, *matches);
        return scope;
    });
}

Result<EventScope> rejectedEventScope(Database &database, const Filter &filter, int limit)
{
    const Result<FilterSql> where = filterSql(filter, FilteredRows::Events);
    if (!where)
        return where.error();
    return database.read([&](Session &session) {
        EventScope scope;
        scope.watermark = newestSequence(session);
        Cursor row =
            session.run("SELECT count(*) FROM (SELECT 1 AS one FROM sendoff_event e WHERE e.state = 'rejected'" +
                            where->condition + " LIMIT ?) AS few",
                        where->values + QVariantList{limit});
        row.next();
        scope.count = row.integer(0);
        return scope;
    });
}

} // namespace sendoff::store
