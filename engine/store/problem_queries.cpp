#include "store/problem_queries.h"

#include "store/filter_sql.h"
#include "store/json_rows.h"

#include <QHash>

namespace sendoff::store {

namespace {

constexpr int maxLiveKinds = 256; // fingerprints whose live rows are counted
constexpr qint64 maxLiveRows = 10 * countCap;

const char *keyOf(ProblemGrouping grouping)
{
    switch (grouping) {
    case ProblemGrouping::Fingerprint:
        return "coalesce(d.fingerprint, '')";
    case ProblemGrouping::Provider:
        return "d.channel || '/' || d.provider";
    case ProblemGrouping::EventType:
        return "d.type";
    case ProblemGrouping::RecipientDomain:
        return "d.address_domain";
    case ProblemGrouping::PublishedSet:
        return "CAST(d.published_set AS text)";
    }
    return "''";
}

// The fingerprints of live rows, by skipping from one to the next in their index.
QStringList liveKinds(Session &session)
{
    QStringList kinds;
    Cursor row = session.run(
        "WITH RECURSIVE kinds(kind) AS (SELECT min(fingerprint) FROM sendoff_delivery_hot WHERE fingerprint IS NOT "
        "NULL "
        "UNION ALL SELECT (SELECT min(d.fingerprint) FROM sendoff_delivery_hot d WHERE d.fingerprint > kinds.kind) "
        "FROM kinds WHERE kinds.kind IS NOT NULL) SELECT kind FROM kinds WHERE kind IS NOT NULL LIMIT ?",
        {maxLiveKinds});
    while (row.next())
        kinds += row.text(0);
    return kinds;
}

// The rows to group. Live rows come kind by kind, each with a limit of its own: an outage may make a million rows fail
// in one way, and must hide no other.
struct Rows
{
    QByteArray sql;
    QVariantList values;
};

Rows failedRows(const QStringList &kinds, ProblemGrouping grouping, const FilterSql &where)
{
    const QByteArray columns = QByteArray("SELECT ") + keyOf(grouping) + " AS kind, d.recipient, d.state, ";
    Rows rows;
    rows.sql = columns +
               "d.ended_at AS earliest, d.ended_at AS latest FROM sendoff_delivery_history d "
               "WHERE d.state IN ('dead', 'unknown', 'bounced')" +
               where.ofEnded();
    rows.values = where.values;
    if (kinds.isEmpty() || !where.mayBeLive)
        return rows;
    // Few different statements: the list is filled up with a text that is no fingerprint.
    qsizetype places = 1;
    while (places < kinds.size())
        places *= 4;
    const qint64 each = std::min(countCap, maxLiveRows / qint64(kinds.size()));
    for (qsizetype place = 0; place < places; ++place) {
        rows.sql += " UNION ALL SELECT * FROM (" + columns +
                    "coalesce(d.first_handed_at, d.created_at), coalesce(d.handed_at, d.created_at) "
                    "FROM sendoff_delivery_hot d WHERE d.fingerprint = ?" +
                    where.condition + " LIMIT ?) AS live_" + QByteArray::number(place);
        rows.values << (place < kinds.size() ? kinds[place] : QStringLiteral("-")) << where.values << each;
    }
    return rows;
}

std::vector<ProblemRecord> groups(Session &session, const Rows &rows, int limit)
{
    std::vector<ProblemRecord> records;
    Cursor row = session.run(
        "SELECT kind, sum(dead), sum(lost), sum(failing), count(*), $ms(min(earliest)), $ms(max(latest)) FROM ("
        "SELECT kind, recipient, sum(CASE WHEN state IN ('dead', 'bounced') THEN 1 ELSE 0 END) AS dead, "
        "sum(CASE WHEN state = 'unknown' THEN 1 ELSE 0 END) AS lost, "
        "sum(CASE WHEN state IN ('dead', 'bounced', 'unknown') THEN 0 ELSE 1 END) AS failing, "
        "min(earliest) AS earliest, max(latest) AS latest FROM (" +
            rows.sql +
            ") AS failed GROUP BY kind, recipient) AS people GROUP BY kind "
            "ORDER BY sum(dead) + sum(lost) + sum(failing) DESC, kind LIMIT ?",
        rows.values + QVariantList{limit});
    while (row.next()) {
        ProblemRecord record;
        record.key = row.text(0);
        record.dead = row.integer(1);
        record.unknown = row.integer(2);
        record.failing = row.integer(3);
        record.people = std::min(row.integer(4), countCap);
        record.firstSeen = row.maybeTime(5);
        record.lastSeen = row.maybeTime(6);
        records.push_back(std::move(record));
    }
    return records;
}

using Places = QHash<QString, size_t>;

QString keyRows(const std::vector<ProblemRecord> &records, Places &places)
{
    JsonRows keys;
    for (size_t each = 0; each < records.size(); ++each) {
        keys.row().text("key", records[each].key);
        places.insert(records[each].key, each);
    }
    return keys.json();
}

void describe(ProblemRecord &record, const Cursor &row)
{
    record.outcome = row.text(1);
    record.provider = row.text(2);
    record.channel = row.text(3);
    record.status = int(row.integer(4));
    record.code = row.text(5);
    record.text = row.text(6);
}

void addProblems(Session &session, std::vector<ProblemRecord> &records, const Places &places, const QString &keys)
{
    {
        Cursor row = session.run("SELECT fingerprint, outcome, provider, channel, status, code, text FROM "
                                 "sendoff_problem WHERE fingerprint $any(SELECT value->>'key' FROM $rows)",
                                 {keys});
        while (row.next())
            describe(records[places.value(row.text(0))], row);
    }
    for (ProblemRecord &record : records) {
        if (!record.outcome.isEmpty() || record.key.isEmpty())
            continue;
        // Not in the table, as of rows that an older release wrote: any of its rows knows most of it.
        for (const char *table : {"sendoff_delivery_hot", "sendoff_delivery_history"}) {
            const QByteArray failed =
                qstrcmp(table, "sendoff_delivery_hot") == 0 ? "" : "AND state IN ('dead', 'unknown', 'bounced') ";
            Cursor row = session.run("SELECT fingerprint, last_outcome, provider, channel, last_status, last_code, '' "
                                     "FROM " +
                                         QByteArray(table) + " WHERE fingerprint = ? " + failed + "LIMIT 1",
                                     {record.key});
            if (row.next()) {
                describe(record, row);
                break;
            }
        }
    }
}

void addNotes(Session &session, std::vector<ProblemRecord> &records, const Places &places, const QString &keys)
{
    Cursor row = session.run("SELECT object, id, text, actor, $ms(at) FROM sendoff_note WHERE kind = 'problem' "
                             "AND object $any(SELECT value->>'key' FROM $rows) ORDER BY id DESC",
                             {keys});
    while (row.next())
        records[places.value(row.text(0))].notes.push_back({row.integer(1), row.text(2), row.text(3), row.time(4)});
}

} // namespace

Result<std::vector<ProblemRecord>> readProblems(Database &database, ProblemGrouping grouping, const Filter &filter,
                                                int limit)
{
    const Result<FilterSql> where = filterSql(filter, FilteredRows::Deliveries);
    if (!where)
        return where.error();
    return database.read([&](Session &session) {
        const QStringList kinds = where->mayBeLive ? liveKinds(session) : QStringList();
        std::vector<ProblemRecord> records = groups(session, failedRows(kinds, grouping, *where), limit);
        Places places;
        const QString keys = keyRows(records, places);
        if (grouping == ProblemGrouping::Fingerprint)
            addProblems(session, records, places, keys);
        addNotes(session, records, places, keys);
        return records;
    });
}

} // namespace sendoff::store
