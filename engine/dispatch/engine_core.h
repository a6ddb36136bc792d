#pragma once
#include "dispatch/dispatcher.h"
#include "dispatch/engine.h"
#include "dispatch/reaper.h"
#include "dispatch/reconciler.h"
#include "dispatch/relay.h"
#include "dispatch/set_cache.h"
#include "dispatch/settler.h"
#include "dispatch/store_watch.h"
#include "store/engine_registry.h"
#include <QTimer>
#include <atomic>

namespace sendoff::dispatch {

// The engine's loop: which step comes when, when it sleeps, what it does while the store is away, how it ends.
class Engine::Core : public QObject
{
    Q_OBJECT

public:
    Core(Engine &engine, EngineSettings settings, channel::Sender &sender, const Clock &clock);
    ~Core() override;

    Result<void> start(const store::StoreUrl &url, const QString &password);
    void drain();
    void wake();
    Health health() const;

    std::vector<Round> m_extraRounds;

private:
    using Ticks = std::chrono::steady_clock::duration;

    Result<void> openStore();
    void round();
    Result<bool> work(); // true: something moved, look again at once
    Result<bool> relayAndPromote();
    Result<bool> sweep();                 // reaper, heartbeat, partitions: by the clock
    Result<Milliseconds> untilNextLook(); // how long nothing is to be done
    Result<bool> isIdle();
    void onStoreError(const Error &error);
    void onStoreGood();
    void schedule(Milliseconds delay);
    void finish(bool clean);
    void drainRound();
    bool isDue(Ticks &last, Milliseconds every);

    Engine &m_engine;
    EngineSettings m_settings;
    channel::Sender &m_sender;
    const Clock &m_clock;
    store::EngineIdentity m_identity;
    store::StoreUrl m_url;
    QString m_password;
    std::unique_ptr<store::Database> m_database;
    SetCache m_sets;
    Settler m_settler;
    Relay m_relay;
    Dispatcher m_dispatcher;
    Reaper m_reaper;
    Reconciler m_reconciler;
    std::unique_ptr<StoreWatch> m_watch;
    QTimer m_timer;
    QTimer m_drainTimer;

    std::optional<Milliseconds> m_nextLook; // what quota and slots said in the last round
    bool m_lookAtOnce = false;
    bool m_isAsleep = false; // declared to the store
    Ticks m_idleSince{};
    bool m_isIdleKnown = false;
    Ticks m_lastMoved{};
    Ticks m_lastCount{}; // of what operations' rows came to
    bool m_hasUntallied = false;
    store::RetryShares m_retryShares;
    Ticks m_lastReconciled{};
    Ticks m_lastReap{};
    Ticks m_lastHeartbeat{};
    Ticks m_lastHousekeeping{};
    int m_storeFailures = 0;
    int m_knownConnections = 0;
    QString m_trouble; // as last said, empty: none
    ErrorCode m_troubleCode = ErrorCode::Unavailable;
    enum class Phase { Running, Draining, CutOff, Finished } m_phase = Phase::Running;

    std::atomic<bool> m_storeReachable{false};
    std::atomic<bool> m_storeReadOnly{false};
    std::atomic<bool> m_listening{false};
    std::atomic<int> m_listenerLosses{0};
    std::atomic<qint64> m_skew{0};
    std::atomic<int> m_inFlight{0};
    std::atomic<qint64> m_sent{0};
    std::atomic<qint64> m_stale{0};
};

} // namespace sendoff::dispatch
