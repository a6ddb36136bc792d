#pragma once
#include "store/filter_sql.h"
#include "store/operation_store.h"
#include <QHash>

namespace sendoff::store {

// The statements of an operation's batch that touch deliveries and events; only verbs of this module see them.

qint64 newestSequence(Session &session);

// The columns that filters and rules look at; neither address nor payload. A sub-select of them stops the planner from
// walking another index than the one that bounds it.
extern const char *const scopeColumns; // alias d

// Where a walk through all rows stands: first through the live ones, then the finished ones, in the order of ids, so
// that a row that ends meanwhile is met.
struct RowWalk
{
    bool inHistory = false;
    QString after; // the last id looked at
};
// Which rows an operation asks for.
struct RowQuestion
{
    FilterSql where;
    bool isSelective = false; // the filter names rows: an index finds them
    qint64 operation = 0;     // its own rows are not met again
    qint64 watermark = 0;
    std::optional<Timestamp> expiryAt; // as in operationScope()
    int limit = 0;
};
struct MetRows
{
    std::vector<OperationRow> rows; // locked to the end of the transaction
    bool isEnd = false;             // the walk is over
};
// The next rows that match, at most question.limit, among a bounded number of rows.
MetRows nextRows(Session &session, RowWalk &walk, RowQuestion question);

// A SELECT of scopeColumns: the newest matching rows among a bounded number of rows looked at, at most `limit`; an
// empty text where nothing can match. `further` are conditions on them.
struct BoundedMatches
{
    struct Bound // answers a row where a part had more rows than were looked at
    {
        QByteArray sql;
        QVariantList values;
    };
    QByteArray sql;
    QVariantList values;
    std::vector<Bound> bounds;
};
Result<BoundedMatches> boundedMatches(Session &session, const Filter &filter, const FilterSql &further, int limit);

struct ScheduledRow
{
    const OperationRow *row;
    Timestamp due;
    std::optional<Milliseconds> lifetime; // a new expiry, from its due time
    bool keepsCounts = false;             // of failures: it only waits for another time
};
// Makes rows `scheduled` again: live ones stand in the hot table, ended ones come back from the history.
void scheduleAgain(Session &session, qint64 operation, const std::vector<ScheduledRow> &rows, Timestamp now);

struct EndedRow
{
    const OperationRow *row;
    DeliveryState end;
};
// Ends rows by a person's word: live ones move to the history, ended ones change their state there. With them go
// frozen content and the secrets of events of which nothing may send any more.
void endByPerson(Session &session, const std::vector<EndedRow> &rows);

// Shared with the edit. The columns of a delivery with some replaced by expressions, to insert a copy in one statement.
QByteArray replacedColumns(const QHash<QByteArray, QByteArray> &expressions);
// Our locks keep every row as it was read, so anything else is a fault: the batch is rolled back.
void requireCount(int affected, size_t expected);

} // namespace sendoff::store
