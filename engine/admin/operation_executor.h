#pragma once
#include "domain/result.h"
#include "store/database.h"
#include <QSet>
#include <QString>

namespace sendoff::admin {

// Carries out people's stored operations, a batch at a time, next to the engine's own rounds.
// Thread: one, the store thread. Owns no connection. Any number may run on one store; dropping one at any point loses
// nothing: another goes on after ten seconds.
class OperationExecutor
{
public:
    OperationExecutor();

    static constexpr int batchRows = 200; // of one transaction

    // At most one batch of each open operation; answers how many rows were looked at, so 0 says that nothing can be
    // done now. Errors: the store's. An operation whose batch can never be stored ends as failed.
    Result<int> runOnce(store::Database &database);
    // Until it is worth to call again, nothing where no operation is open.
    static Result<std::optional<Milliseconds>> untilNext(store::Database &database);

private:
    const QString m_holder;
};

} // namespace sendoff::admin
