#pragma once
#include "domain/operation.h"
#include "domain/result.h"
#include "store/database.h"
#include <QHash>
#include <QString>
#include <vector>

namespace sendoff::store {

// What became of the rows that operations gave back, told to the operations; and the operations that stop by
// themselves.

// Where the looks at open items stand, by operation. One a caller, kept between calls; losing it only costs time.
struct TallyPlace
{
    QHash<qint64, QString> after;
};
// Operations whose numbers may still move, oldest first.
Result<std::vector<qint64>> untalliedOperations(Database &database);
// Recounts one in one short transaction: rows that ended without an attempt are closed with their reason, a bounded
// number of them a call; too many failures stop it; an ended edit forgets what it sent where. Answers whether
// anything was changed. One that somebody else recounts now is left alone.
Result<bool> tallyOperation(Database &database, qint64 id, TallyPlace &place);

// The end of an operation, in its own transaction: state, detail, and what an edit must forget.
struct OperationEnd
{
    QString state;
    QString detail;
    bool isTallied = false; // nothing that it did has an outcome
};
void endOperation(Session &session, qint64 id, const OperationEnd &end);
// Parameters without what an ended operation has no more use for: the address becomes its mask, the payload goes.
OperationParameters forgotten(OperationParameters parameters);

} // namespace sendoff::store
