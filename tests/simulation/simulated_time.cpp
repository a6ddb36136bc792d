#include "tests/simulation/simulated_time.h"

#include <atomic>
#include <sqlite3.h>

namespace sendoff::test {

namespace {

constexpr sqlite3_int64 julianEpoch = 210'866'760'000'000; // milliseconds from SQLite's epoch to 1970
std::atomic<qint64> simulatedMs;

int currentTime64(sqlite3_vfs *, sqlite3_int64 *time)
{
    *time = simulatedMs + julianEpoch;
    return SQLITE_OK;
}

int currentTime(sqlite3_vfs *, double *days)
{
    *days = double(simulatedMs + julianEpoch) / 86'400'000.0;
    return SQLITE_OK;
}

// The system's own layer with another clock.
sqlite3_vfs &simulatedVfs()
{
    static sqlite3_vfs vfs = [] {
        sqlite3_vfs made = *sqlite3_vfs_find(nullptr);
        made.pNext = nullptr;
        made.zName = "sendoff_simulated";
        made.xCurrentTime = currentTime;
        made.xCurrentTimeInt64 = currentTime64;
        return made;
    }();
    return vfs;
}

} // namespace

SimulatedTime::SimulatedTime(Timestamp start)
    : m_start(start)
{
    simulatedMs = start.time_since_epoch().count();
    sqlite3_vfs_register(&simulatedVfs(), 1);
}

SimulatedTime::~SimulatedTime()
{
    sqlite3_vfs_unregister(&simulatedVfs());
}

Timestamp SimulatedTime::now() const
{
    return Timestamp(Milliseconds(simulatedMs.load()));
}

std::chrono::steady_clock::duration SimulatedTime::ticks() const
{
    return now() - m_start + std::chrono::hours(1); // never 0, which would mean "not yet" to some
}

void SimulatedTime::advance(Milliseconds by)
{
    simulatedMs += by.count();
}

} // namespace sendoff::test
