#include "dispatch/settler.h"

#include "dispatch/test_hook.h"

namespace sendoff::dispatch {

namespace {
constexpr size_t batch = 500; // rows a statement: the measured flush size

bool isTheRowsFault(const Error &error)
{
    return error.code == ErrorCode::Invalid || error.code == ErrorCode::Conflict;
}

// Each delivery once: the reaper's word on a lease that ended and the late answer of its request are two leases, and
// only one of them is written.
size_t batchEnd(const std::deque<store::Settlement> &waiting)
{
    QSet<QString> met;
    size_t count = 0;
    for (const size_t most = std::min(batch, waiting.size()); count < most; ++count) {
        const QString &id = waiting[count].id.value;
        if (met.contains(id))
            break;
        met.insert(id);
    }
    return count;
}

// This one row can't be written; its lease ends, and the reaper settles it as Unknown.
void leaveToTheReaper(const Error &error)
{
    qWarning("a result can't be stored and is left to the reaper: %s", qPrintable(error.message));
}
} // namespace

Settler::Settler(QString engine)
    : m_engine(std::move(engine))
{}

void Settler::add(store::Settlement settlement)
{
    m_waiting.push_back(std::move(settlement));
}

Result<int> Settler::flush(store::Database &database)
{
    int done = 0;
    while (!m_waiting.empty()) {
        const size_t count = batchEnd(m_waiting);
        const std::vector<store::Settlement> rows(m_waiting.begin(), m_waiting.begin() + std::ptrdiff_t(count));
        reachTestPoint("before_settle");
        Result<void> settled = settleBatch(database, rows);
        if (!settled && isTheRowsFault(settled.error()) && count > 1) {
            // One row's text makes the store refuse the batch: the others must not wait for it.
            for (const store::Settlement &row : rows) {
                settled = settleBatch(database, {row});
                if (!settled && !isTheRowsFault(settled.error()))
                    return settled.error();
                if (!settled)
                    leaveToTheReaper(settled.error());
                m_waiting.pop_front();
                ++done;
            }
            continue;
        }
        if (!settled && !isTheRowsFault(settled.error()))
            return settled.error();
        if (!settled)
            leaveToTheReaper(settled.error());
        reachTestPoint("after_settle");
        m_waiting.erase(m_waiting.begin(), m_waiting.begin() + std::ptrdiff_t(count));
        done += int(count);
    }
    return done;
}

Result<void> Settler::settleBatch(store::Database &database, const std::vector<store::Settlement> &rows)
{
    const auto lost = store::settle(database, m_engine, rows);
    if (!lost)
        return lost.error();
    if (lost->empty())
        return {};
    QSet<QString> stale;
    for (const DeliveryId &id : *lost)
        stale.insert(id.value);
    for (const store::Settlement &row : rows) {
        if (!stale.contains(row.id.value))
            continue;
        ++m_staleResults;
        if (const Result<void> kept = store::recordLateResult(database, row); !kept)
            return kept;
    }
    return {};
}

} // namespace sendoff::dispatch
