#pragma once
#include "store/operation_store.h"

namespace sendoff::store {

// The statements of an operation's batch that touch deliveries and events; only verbs of this module see them.

qint64 newestSequence(Session &session);
// Rows of one of the two tables (alias d) behind a condition that begins with " AND"; it may end in ORDER BY, LIMIT,
// $lock.
std::vector<OperationRow> operationRows(Session &session, const char *table, const QByteArray &condition,
                                        const QVariantList &values);

struct ScheduledRow
{
    const OperationRow *row;
    Timestamp due;
    std::optional<Milliseconds> lifetime; // a new expiry, from its due time
};
// Makes rows `scheduled` again: held ones stand in the hot table, ended ones come back from the history.
void scheduleAgain(Session &session, const std::vector<ScheduledRow> &rows, Timestamp now);

struct EndedRow
{
    const OperationRow *row;
    DeliveryState end;
};
// Ends rows by a person's word: live ones move to the history, ended ones change their state there. With them go
// frozen content and the secrets of events of which nothing may send any more.
void endByPerson(Session &session, const std::vector<EndedRow> &rows);

} // namespace sendoff::store
