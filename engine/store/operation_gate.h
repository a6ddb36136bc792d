#pragma once
#include "store/operation_store.h"

namespace sendoff::store {

// The only door through which a person's command gets into the store. On PostgreSQL each is one call of a checked
// function (sendoff_submit_operation, sendoff_change_operation), which looks at the login's role, stamps the login as
// actor and writes the audit row; on SQLite the same is done here. Runs in the caller's transaction; a missing right
// throws, which the transaction turns into Refused with the function's words.

// Stores it armed and answers its id, 0 where an operation with the same dedupe text stands already.
qint64 insertOperation(Session &session, const NewOperation &operation);

enum class OperationChange {
    Undo,   // armed → undone
    Stop,   // armed → undone, running → stops after its batch
    Pause,  // armed or running
    Resume, // the same
    Rate    // value: rows a second
};
// Answers whether it was in a state that allows the change; the audit row is written then.
bool changeOperation(Session &session, qint64 id, OperationChange change, qint64 value, const QString &actor);

} // namespace sendoff::store
