#include "admin/operation_executor.h"

#include "admin/operation_rules.h"
#include "store/operation_store.h"

#include <QUuid>

namespace sendoff::admin {

namespace {

// The store will be as it should again; everything else would fail for ever.
bool isPassing(ErrorCode code)
{
    return code == ErrorCode::Busy || code == ErrorCode::Unavailable || code == ErrorCode::ReadOnly ||
           code == ErrorCode::StaleStatement;
}

} // namespace

OperationExecutor::OperationExecutor()
    : m_holder(QUuid::createUuid().toString(QUuid::WithoutBraces))
{}

Result<int> OperationExecutor::runOnce(store::Database &database)
{
    const Result<std::vector<qint64>> open = store::openOperations(database);
    if (!open)
        return open.error();
    int rows = 0;
    for (const qint64 id : *open) {
        const auto batch = store::runOperationBatch(database, id, m_holder, batchRows, planOperation);
        if (batch) {
            rows += batch->looked;
            continue;
        }
        if (isPassing(batch.error().code))
            return batch.error();
        if (const auto failed = store::failOperation(database, id, batch.error().message); !failed)
            return failed.error();
    }
    return rows;
}

Result<std::optional<Milliseconds>> OperationExecutor::untilNext(store::Database &database)
{
    return store::untilNextOperation(database);
}

} // namespace sendoff::admin
