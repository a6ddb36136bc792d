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

OperationExecutor::OperationExecutor(QByteArray hashKey)
    : m_holder(QUuid::createUuid().toString(QUuid::WithoutBraces))
    , m_hashKey(std::move(hashKey))
{}

Result<int> OperationExecutor::runOnce(store::Database &database)
{
    if (const Result<void> counted = tally(database); !counted)
        return counted.error();
    const Result<std::vector<qint64>> open = store::openOperations(database);
    if (!open)
        return open.error();
    int rows = 0;
    for (const qint64 id : *open) {
        const auto batch =
            store::runOperationBatch(database, id, m_holder, batchRows, [this](const store::StoredOperation &stored) {
                return planOperation(stored, m_hashKey);
            });
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

Result<void> OperationExecutor::tally(store::Database &database)
{
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();
    if (m_lastTally && now - *m_lastTally < 900ms)
        return {};
    m_lastTally = now;
    const auto open = store::untalliedOperations(database);
    if (!open)
        return open.error();
    for (const qint64 id : *open) {
        if (const auto counted = store::tallyOperation(database, id, m_tallyPlace); !counted)
            return counted.error();
    }
    return {};
}

Result<std::optional<Milliseconds>> OperationExecutor::untilNext(store::Database &database)
{
    return store::untilNextOperation(database);
}

} // namespace sendoff::admin
