#pragma once
#include "domain/result.h"
#include "store/database.h"
#include "store/operation_tally.h"
#include <QString>
#include <chrono>

namespace sendoff::admin {

// Carries out people's stored operations, a batch at a time, next to the engine's own rounds, and counts what became of
// the rows that they gave back. Thread: one, the store thread. Owns no connection. Any number may run on one store;
// dropping one at any point loses nothing: another goes on after ten seconds.
class OperationExecutor
{
public:
    // `hashKey`: the key of address hashes, as the relay has it; an edit that gives a new address needs it.
    explicit OperationExecutor(QByteArray hashKey = {});

    static constexpr int batchRows = 200; // of one transaction

    // At most one batch of each open operation, and about once a second the counts of each; answers how many rows were
    // looked at, so 0 says that nothing can be done now. Errors: the store's. An operation whose batch can never be
    // stored ends as failed.
    Result<int> runOnce(store::Database &database);
    // Until it is worth to call again, nothing where no operation is open.
    static Result<std::optional<Milliseconds>> untilNext(store::Database &database);
    // The next runOnce() counts, whenever the last one did.
    void countAgain() { m_lastTally.reset(); }

private:
    Result<void> tally(store::Database &database);

    const QString m_holder;
    const QByteArray m_hashKey;
    std::optional<std::chrono::steady_clock::time_point> m_lastTally;
    store::TallyPlace m_tallyPlace;
};

} // namespace sendoff::admin
