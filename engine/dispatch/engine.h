#pragma once
#include "channel/sender.h"
#include "domain/clock.h"
#include "domain/retry_policy.h"
#include "domain/settlement.h"
#include "domain/words.h"
#include "store/database.h"
#include <QMap>
#include <QObject>
#include <functional>
#include <memory>
#include <vector>

namespace sendoff::dispatch {

struct LaneRules
{
    double reserve = 0; // share of each bucket that other lanes leave to it
    OnUnknown onUnknown = OnUnknown::Retry;
    std::optional<RetryPolicy> retry; // instead of the engine's
};

struct ProviderRules
{
    channel::ProviderSettings settings;
    double ratePerSecond = 0; // 0: no limit
    int burst = 1;
    int priority = 1;                 // place in its channel's order of failover
    double retryShare = 0.5;          // of what it sends, for retries while new work waits
    qint64 dailyLimit = 0;            // messages a UTC day, 0: no limit
    qint64 monthlyLimit = 0;          // messages a UTC month, 0: no limit
    double cost = 0;                  // of one message, 0: not stated
    std::optional<RetryPolicy> retry; // instead of the lane's and the engine's
};

struct EngineSettings
{
    QString name = QStringLiteral("engine");
    QString version;
    Milliseconds lease{60'000};
    Milliseconds sweep{30'000}; // the safety net; wake-ups come at commit
    Milliseconds drain{25'000}; // how long a drain waits for what is in flight
    int batch = 50;             // rows a claim takes
    RetryPolicy retry;
    QMap<Lane, LaneRules> lanes;
    std::vector<ProviderRules> providers;
    QByteArray hashKey;     // of address hashes; may be empty on SQLite only
    bool untilIdle = false; // finish once nothing is due or in flight
};

// Work of a neighbouring module in the engine's rounds (operations): answers how many rows it changed.
using Round = std::function<Result<int>(store::Database &)>;

// The delivery engine: relays events, claims deliveries, sends them through the Sender, settles what became of them.
// Thread: lives in the thread that makes it, which becomes the store thread (it blocks on SQL) and needs an event loop;
// the Sender has its own. Owns its connection. Nothing it does is lost when the process dies at any point.
class Engine : public QObject
{
    Q_OBJECT

public:
    Engine(EngineSettings settings, channel::Sender &sender, const Clock &clock, QObject *parent = nullptr);
    ~Engine() override;

    // Extra rounds, before start().
    void addRound(Round round);
    // Opens the store, registers, begins to work. Errors: the store's, and Invalid for settings that can't be right.
    Result<void> start(const store::StoreUrl &url, const QString &password);
    // Stops claiming, lets what is in flight end (at most settings.drain, then its requests are cut off and recorded
    // as Unknown), returns unused leases, then finished(). A second call cuts off at once.
    void drain();
    // Looks for work now; from any thread.
    void wake();

    struct Health
    {
        bool storeReachable = false;
        bool storeReadOnly = false;
        bool listenerConnected = false; // PostgreSQL only
        int listenerLosses = 0;
        Milliseconds clockSkew{0};
        int inFlight = 0;
        qint64 sent = 0; // attempts handed over since start
        qint64 staleResults = 0;
    };
    Health health() const;

Q_SIGNALS:
    // After a drain, or when `untilIdle` found nothing more. False: the drain had to cut requests off.
    void finished(bool clean);
    // The store could not be reached, or can again; once per change. `problem` is empty when it can.
    void storeTrouble(const QString &problem);

private:
    class Core;
    std::unique_ptr<Core> m_core;
};

} // namespace sendoff::dispatch
