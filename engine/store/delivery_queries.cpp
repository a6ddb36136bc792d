#include "store/delivery_queries.h"

#include "store/delivery_scan.h"
#include "store/record_rows.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <algorithm>

namespace sendoff::store {

namespace {

constexpr int maxPage = 1'000;

// A page looks at few rows first, since most filters find theirs at once, then at twice as many each time, until it has
// looked at so many (all parts together) or for so long: rows that lie far apart on the disk cost ten times as much.
constexpr int firstLook = 500;
constexpr int leastLook = 100; // of each part
constexpr int growthOfLook = 2;
constexpr int pageLooks = 10'000;
constexpr Milliseconds pageTime{15};
// A count looks at a first lot, then at as many more as time allows.
constexpr int firstCountLooks = 5'000;
constexpr int countLooks = 60'000;
constexpr Milliseconds countTime{150};

QString cursorText(DeliverySort sort, const ScanPlace &place)
{
    return QString::fromLatin1((toText(sort) + u'\n' + place.key + u'\n' + place.id)
                                   .toUtf8()
                                   .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals));
}

Result<ScanPlace> placeOf(const QString &cursor, DeliverySort sort)
{
    static const QRegularExpression form(
        QStringLiteral("\\A([a-z]+)\\n(\\d{4}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,6})?(?:Z|[+]00))\\n"
                       "([^\\x{0}\\n]{1,200})\\z"));
    const auto decoded = QByteArray::fromBase64Encoding(cursor.toLatin1(), QByteArray::Base64UrlEncoding |
                                                                               QByteArray::AbortOnBase64DecodingErrors);
    const auto match = form.match(QString::fromUtf8(decoded.decoded));
    const auto made = decoded && match.hasMatch() ? fromText<DeliverySort>(match.captured(1)) : std::nullopt;
    if (!made)
        return Error{ErrorCode::Invalid,
                     QStringLiteral("the page cursor is not one that a list answered; start without one")};
    if (*made != sort) {
        return Error{ErrorCode::Invalid,
                     QStringLiteral("the page cursor is of a list sorted by \"%1\", not by \"%2\"; start without one")
                         .arg(toText(*made), toText(sort))};
    }
    return ScanPlace{match.captured(2), match.captured(3)};
}

// Where the first of the walked parts stops when each looks at `bound` rows: rows behind it may have others before them
// that were not looked at.
std::optional<ScanPlace> frontierOf(Session &session, const Scan &scan, const FilterSql &from, int bound)
{
    QByteArrayList ends;
    QVariantList values;
    for (const ScanPart &part : scan.parts) {
        if (!part.isWalked())
            continue;
        ends += "SELECT * FROM (SELECT d." + scan.key + ", d.id FROM " + part.from + " WHERE 1 = 1" +
                part.reach.condition + from.condition + orderOf(scan) + " LIMIT 1 OFFSET " +
                QByteArray::number(bound - 1) + ") AS d";
        values += part.reach.values + from.values;
    }
    if (ends.isEmpty())
        return std::nullopt;
    Cursor row = session.run("SELECT CAST(" + scan.key + " AS text), id FROM (" + ends.join(" UNION ALL ") +
                                 ") AS ends" + orderOf(scan, "") + " LIMIT 1",
                             values);
    if (!row.next())
        return std::nullopt;
    return ScanPlace{row.text(0), row.text(1)};
}

struct ListedRow
{
    DeliveryRecord record;
    ScanPlace place;
};

// At most `most` rows behind `after`, as far as `until`.
void readRows(Session &session, const Scan &scan, const FilterSql &between, int bound, int most,
              std::vector<ListedRow> &rows)
{
    QByteArrayList parts;
    QVariantList values;
    for (const ScanPart &part : scan.parts) {
        parts += "SELECT * FROM (SELECT * FROM " +
                 lookedAt(scan, part, between,
                          part.isGathered   ? maxGathered
                          : part.isWalked() ? bound
                                            : most,
                          values) +
                 orderOf(scan) + " LIMIT ?) AS part";
        values += most;
    }
    values += most;
    Cursor row = session.run(QByteArray("SELECT ") + deliveryRecordValues + ", CAST(" + scan.key + " AS text) FROM (" +
                                 parts.join(" UNION ALL ") + ") AS page" + orderOf(scan, "") + " LIMIT ?",
                             values);
    while (row.next()) {
        DeliveryRecord record = deliveryRecord(row);
        QString id = record.id.value;
        rows.push_back({std::move(record), {row.text(deliveryRecordWidth), std::move(id)}});
    }
}

DeliveryPage readPage(Session &session, const Scan &scan, DeliverySort sort, FilterSql from, int limit)
{
    DeliveryPage page;
    const auto walked = int(
        std::count_if(scan.parts.cbegin(), scan.parts.cend(), [](const ScanPart &part) { return part.isWalked(); }));
    std::vector<ListedRow> rows;
    int bound = std::max(firstLook / std::max(walked, 1), leastLook);
    QElapsedTimer timer;
    timer.start();
    for (int looks = 0; !scan.parts.empty();) {
        const std::optional<ScanPlace> frontier = frontierOf(session, scan, from, bound);
        FilterSql between = from;
        if (frontier)
            between += notBehind(scan, *frontier);
        // The one row more only says that there is a next page.
        readRows(session, scan, between, bound, limit + 1 - int(rows.size()), rows);
        looks += bound * walked;
        if (int(rows.size()) > limit) {
            rows.pop_back();
            page.next = cursorText(sort, rows.back().place);
            break;
        }
        if (!frontier)
            break;
        if (looks >= pageLooks || timer.elapsed() >= pageTime.count()) {
            page.next = cursorText(sort, *frontier);
            break;
        }
        from = behind(scan, *frontier);
        bound *= growthOfLook;
    }
    for (ListedRow &row : rows)
        page.rows.push_back(std::move(row.record));
    return page;
}

// Rows of a part that match, and whether there may be more.
RowCount countPart(Session &session, const Scan &scan, const ScanPart &part, int looks, qint64 cap)
{
    QVariantList values;
    if (part.rest.condition.isEmpty()) {
        const QByteArray found = lookedAt(scan, part, {}, int(cap), values);
        Cursor row = session.run("SELECT count(*) FROM (SELECT 1 AS one FROM " + found + " LIMIT ?) AS found",
                                 values + QVariantList{cap});
        row.next();
        return {row.integer(0), row.integer(0) >= cap};
    }
    ScanPart all = part;
    all.rest = {};
    const QByteArray looked = lookedAt(scan, all, {}, looks, values);
    Cursor row = session.run("SELECT count(*), count(*) FILTER (WHERE 1 = 1" + part.rest.condition + ") FROM " + looked,
                             part.rest.values + values);
    row.next();
    return {row.integer(1), row.integer(0) >= looks || row.integer(1) >= cap};
}

RowCount countInTime(Session &session, const Scan &scan, const ScanPart &part, qint64 cap)
{
    const int parts = int(scan.parts.size());
    const int most = countLooks / parts;
    const int first = std::min(firstCountLooks, most);
    const double patience = double(countTime.count()) / parts;
    RowCount count;
    double spent = 0;
    // Each step looks at up to four times as many rows as the one before, if those would fit: rows that are not in
    // memory cost many times those that are, and only a step tells.
    for (int looks = first;;) {
        QElapsedTimer timer;
        timer.start();
        count = countPart(session, scan, part, looks, cap);
        const double took = double(timer.nsecsElapsed()) / 1e6;
        spent += took;
        if (!count.isCapped || count.count >= cap || looks >= most)
            return count;
        const int next = std::min(looks * 4, most);
        if (spent + took * double(next) / looks > patience)
            return count;
        looks = next;
    }
}

} // namespace

Result<DeliveryPage> listDeliveries(Database &database, const Filter &filter, DeliverySort sort, const QString &after,
                                    int limit)
{
    if (limit < 1 || limit > maxPage)
        return Error{ErrorCode::Invalid, QStringLiteral("limit must be 1 to %1").arg(maxPage)};
    std::optional<ScanPlace> place;
    if (!after.isEmpty()) {
        Result<ScanPlace> read = placeOf(after, sort);
        if (!read)
            return read.error();
        place = std::move(*read);
    }
    return database.read([&](Session &session) -> Result<DeliveryPage> {
        const Result<Scan> scan = planScan(session, filter, sort, place ? ScanFor::NextPage : ScanFor::FirstPage);
        if (!scan)
            return scan.error();
        return readPage(session, *scan, sort, place ? behind(*scan, *place) : FilterSql{}, limit);
    });
}

Result<DeliveryPage> fullPage(const PageQuery &query, const QString &after, int limit)
{
    DeliveryPage whole;
    whole.next = after;
    do {
        Result<DeliveryPage> page = query(whole.next, limit - int(whole.rows.size()));
        if (!page)
            return page.error();
        std::move(page->rows.begin(), page->rows.end(), std::back_inserter(whole.rows));
        whole.next = page->next;
    } while (!whole.next.isEmpty() && int(whole.rows.size()) < limit);
    return whole;
}

Result<DeliveryPage> fullPage(Database &database, const Filter &filter, DeliverySort sort, const QString &after,
                              int limit)
{
    return fullPage([&](const QString &from, int most) { return listDeliveries(database, filter, sort, from, most); },
                    after, limit);
}

Result<RowCount> countDeliveries(Database &database, const Filter &filter, qint64 cap)
{
    return database.read([&](Session &session) -> Result<RowCount> {
        const Result<Scan> scan = planScan(session, filter, DeliverySort::Newest, ScanFor::Count);
        if (!scan)
            return scan.error();
        RowCount whole;
        for (const ScanPart &part : scan->parts) {
            const RowCount count = countInTime(session, *scan, part, cap - whole.count);
            whole.count += count.count;
            whole.isCapped = whole.isCapped || count.isCapped;
            if (whole.count >= cap)
                break;
        }
        return RowCount{std::min(whole.count, cap), whole.isCapped};
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
    const auto half = [](const char *table, const QByteArray &condition) {
        return QByteArray("SELECT * FROM (SELECT 1 AS one FROM ") + table + " d WHERE 1 = 1" + condition +
               " LIMIT ?) AS " + table + "_half";
    };
    const QByteArray sql = "SELECT count(*) FROM (SELECT * FROM (" + half("sendoff_delivery_hot", where->ofLive()) +
                           " UNION ALL " + half("sendoff_delivery_history", where->ofEnded()) +
                           ") AS found LIMIT ?) AS capped";
    return database.read([&](Session &session) {
        Cursor row = session.run(sql, values);
        row.next();
        return row.integer(0);
    });
}

} // namespace sendoff::store
