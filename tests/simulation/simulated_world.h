#pragma once
#include "dispatch/dispatcher.h"
#include "dispatch/reaper.h"
#include "dispatch/relay.h"
#include "dispatch/set_cache.h"
#include "store/delivery_queue.h"
#include "tests/simulation/simulated_provider.h"
#include "tests/simulation/simulated_time.h"
#include "tests/support/test_database.h"
#include <deque>
#include <map>

namespace sendoff::test {

// An engine's rounds over an embedded store, in simulated time: what takes a day takes seconds, and the same every time
// but for the jitter. Event types "confirm" (urgent), "receipt" (normal) and "offer" (bulk), each one email, and "text"
// (urgent), one SMS.
class SimulatedWorld
{
public:
    explicit SimulatedWorld(const dispatch::EngineSettings &settings);

    static dispatch::EngineSettings settings(); // one provider "primary" by email, 15/s + 5
    // A further provider of the settings, after the ones that are there.
    static dispatch::ProviderRules &addProvider(dispatch::EngineSettings &settings, const QString &name,
                                                Channel channel = Channel::Email);

    SimulatedProvider &provider() { return m_provider; }
    TestDatabase &database() { return m_database; }
    Milliseconds elapsed() const { return m_time.now() - m_start; }

    // An event at this moment of the simulation; answers a number that insertedAt() knows.
    void plan(Milliseconds at, const QByteArray &type, const QString &tenant, int count = 1);
    // Runs until this moment.
    void runTo(Milliseconds moment);

    struct Told
    {
        QByteArray type;
        QString tenant;
        Milliseconds insertedAt{0};
        std::optional<Milliseconds> firstArrival;
        std::optional<Milliseconds> takenAt;
        int arrivals = 0;
        bool wasTaken = false;
    };
    // What became of each planned event, by delivery.
    std::map<QString, Told> told();

private:
    void insertDue();
    bool round();
    Milliseconds untilNext() const;

    SimulatedTime m_time;
    Timestamp m_start;
    TestDatabase m_database;
    SimulatedProvider m_provider;
    dispatch::EngineSettings m_settings;
    dispatch::SetCache m_sets;
    dispatch::Settler m_settler;
    dispatch::Relay m_relay;
    store::RetryShares m_retryShares;
    std::deque<std::pair<quint64, std::vector<AttemptResult>>> m_answers;
    dispatch::Dispatcher m_dispatcher;
    dispatch::Reaper m_reaper;
    struct Planned
    {
        QByteArray type;
        QString tenant;
    };
    std::multimap<Milliseconds, Planned> m_planned;
    std::map<QString, Told> m_events; // by event id
    int m_inserted = 0;
    Milliseconds m_lastReap{0};
    std::optional<Milliseconds> m_nextLook;
};

} // namespace sendoff::test
