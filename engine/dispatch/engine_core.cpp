#include "dispatch/engine_core.h"

#include "store/migrator.h"
#include "store/provider_quota.h"

#include <QCoreApplication>
#include <QSysInfo>
#include <QUuid>

namespace sendoff::dispatch {

using namespace std::chrono_literals;

namespace {
constexpr auto reapEvery = 2s;
constexpr auto heartbeatEvery = 15s;
constexpr auto reconcileEvery = 2s;
constexpr auto countEvery = 1s;  // operations learn what their rows came to
constexpr auto countLinger = 3s; // after the last movement: then there is nothing new to learn
constexpr auto housekeepingEvery = 1h;
constexpr auto linger = 200ms; // idle this long before it declares itself asleep, so that a trickle costs no updates
constexpr auto lingerLook = 25ms;
constexpr auto skewLimit = 30s; // of our clock against the database's before it is said aloud
constexpr Milliseconds retryFirst{250};
constexpr Milliseconds retryMost{5'000};
constexpr int promoteBatch = 500;
constexpr size_t settleAtOnce = 200;      // results that are written without waiting for more
constexpr Milliseconds settlePatience{3}; // how long a first result waits for others
constexpr Milliseconds inFlightLook{50};  // for new rows while answers are awaited and nobody notifies
constexpr Milliseconds stuckLook{50};
constexpr Milliseconds busyLook{10}; // between rounds while answers are awaited

RoutingRules routingRules(const EngineSettings &settings)
{
    RoutingRules rules;
    rules.hashKey = settings.hashKey;
    QMap<Channel, int> best;
    for (const ProviderRules &provider : settings.providers) {
        const Channel channel = provider.settings.channel;
        if (!best.contains(channel) || provider.priority < best.value(channel)) {
            best.insert(channel, provider.priority);
            rules.providers.insert(channel, provider.settings.name);
        }
    }
    return rules;
}

store::EngineIdentity newIdentity(const EngineSettings &settings)
{
    return {QUuid::createUuid().toString(QUuid::WithoutBraces), settings.name, QSysInfo::machineHostName(),
            QCoreApplication::applicationPid(), settings.version};
}
} // namespace

Engine::Core::Core(Engine &engine, EngineSettings settings, channel::Sender &sender, const Clock &clock)
    : m_engine(engine)
    , m_settings(std::move(settings))
    , m_sender(sender)
    , m_clock(clock)
    , m_identity(newIdentity(m_settings))
    , m_settler(m_identity.name + u'/' + m_identity.id.left(8)) // as people read it with an attempt
    , m_relay(m_sets, routingRules(m_settings))
    , m_dispatcher(m_settings, m_identity.id, clock, sender, m_sets, m_settler,
                   [this](quint64 batch, std::vector<AttemptResult> results) {
                       QMetaObject::invokeMethod(
                           this,
                           [this, batch, results = std::move(results)]() mutable {
                               m_dispatcher.onAnswer(batch, std::move(results));
                               if (m_phase != Phase::Running)
                                   drainRound();
                               else // answers come one by one: a statement for each would cost more than the wait
                                   schedule(m_dispatcher.inFlight() == 0 || m_settler.size() >= settleAtOnce
                                                ? 0ms
                                                : settlePatience);
                           },
                           Qt::QueuedConnection);
                   })
    , m_reaper(m_settings, m_identity.id, m_settler)
    , m_reconciler(m_settings, sender, [this](quint64 batch, std::vector<channel::FoundMessage> found) {
        QMetaObject::invokeMethod(
            this,
            [this, batch, found = std::move(found)]() mutable {
                m_reconciler.onFound(batch, std::move(found));
                m_lastReconciled = Ticks{};
                schedule(0ms);
            },
            Qt::QueuedConnection);
    })
{
    for (const ProviderRules &provider : m_settings.providers)
        m_retryShares[provider.settings.name] = provider.retryShare;
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] { m_phase == Phase::Running ? round() : drainRound(); });
    m_drainTimer.setSingleShot(true);
    connect(&m_drainTimer, &QTimer::timeout, this, [this] { drain(); });
}

Engine::Core::~Core()
{
    m_sender.cancelAll(); // no callback may come after this object
}

Result<void> Engine::Core::start(const store::StoreUrl &url, const QString &password)
{
    for (const ProviderRules &provider : m_settings.providers) {
        if (provider.settings.timeout + 5s > m_settings.lease)
            return Error{ErrorCode::Invalid,
                         QStringLiteral("engine.lease (%1) must be at least 5 s longer than providers.%2.timeout (%3): "
                                        "raise the lease or lower the timeout")
                             .arg(formatDuration(m_settings.lease), provider.settings.name,
                                  formatDuration(provider.settings.timeout))};
    }
    m_url = url;
    m_password = password;
    if (const Result<void> opened = openStore(); !opened)
        return opened;
    if (m_url.kind == store::StoreUrl::Kind::Sqlite) {
        m_watch = std::make_unique<StoreWatch>(m_url.path);
        connect(m_watch.get(), &StoreWatch::changed, this, &Core::wake);
    }
    schedule(0ms);
    return {};
}

// Everything that must hold again after each new connection to a store, and after its restart from a backup.
Result<void> Engine::Core::openStore()
{
    if (!m_database) {
        auto opened = store::Database::open(m_url, m_password, store::Access::ReadWrite);
        if (!opened)
            return opened.error();
        m_database = std::move(*opened);
    } else if (const Result<void> connected = m_database->reconnect(); !connected) {
        return connected;
    }
    const auto version = store::schemaVersion(*m_database);
    if (!version)
        return version.error();
    if (const Result<void> usable = store::checkSchema(*version); !usable)
        return usable;
    const Result<store::HeartbeatAnswer> known =
        store::heartbeat(*m_database, m_identity, Milliseconds(0), m_dispatcher.inFlight());
    if (!known && known.error().code != ErrorCode::NotFound)
        return known.error();
    if (!known) {
        if (const Result<void> registered = store::registerEngine(*m_database, m_identity); !registered)
            return registered;
    }
    m_isAsleep = false;
    std::vector<store::ProviderBucket> buckets;
    for (const ProviderRules &provider : m_settings.providers)
        buckets.push_back({provider.settings.name, provider.settings.kind, provider.settings.channel, provider.priority,
                           provider.ratePerSecond, provider.burst, provider.dailyLimit, provider.monthlyLimit,
                           provider.cost});
    if (const Result<void> declared = store::declareProviders(*m_database, buckets); !declared)
        return declared;
    // LISTEN first, the catch-up look afterwards: what was committed in between is met by the look.
    if (const Result<void> listening = m_database->listen([this] { wake(); }); !listening)
        return listening;
    m_listening = m_database->isPostgreSql();
    m_knownConnections = m_database->connectionCount();
    m_lastHeartbeat = m_clock.ticks();
    m_dispatcher.lookAgain();
    onStoreGood();
    return {};
}

void Engine::Core::schedule(Milliseconds delay)
{
    // A wake-up that comes earlier wins; QTimer's 32-bit milliseconds are far above the sweep.
    const auto wanted = std::clamp<Milliseconds>(delay, 0ms, std::max<Milliseconds>(m_settings.sweep, 1ms));
    if (!m_timer.isActive() || m_timer.remainingTimeAsDuration() > wanted)
        m_timer.start(wanted);
}

void Engine::Core::wake()
{
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_dispatcher.lookAgain();
            schedule(0ms);
        },
        Qt::QueuedConnection);
}

void Engine::Core::round()
{
    m_inFlight = m_dispatcher.inFlight();
    m_sent = m_dispatcher.handedOver();
    m_stale = m_settler.staleResults();
    if (!m_database->isConnected()) {
        if (const Result<void> opened = openStore(); !opened) {
            onStoreError(opened.error());
            return;
        }
    }
    const Result<bool> moved = work();
    if (m_listening &&
        std::exchange(m_knownConnections, m_database->connectionCount()) != m_database->connectionCount())
        ++m_listenerLosses; // a verb connected again by itself; the look that follows catches up
    if (!moved) {
        onStoreError(moved.error());
        return;
    }
    onStoreGood();
    if (*moved) {
        m_lastMoved = m_clock.ticks();
        m_isIdleKnown = false;
        if (m_isAsleep) { // inserts need not notify while somebody works
            if (const Result<void> awake = store::declareAsleep(*m_database, m_identity, false); !awake) {
                onStoreError(awake.error());
                return;
            }
            m_isAsleep = false;
        }
        schedule(m_lookAtOnce ? 0ms : std::min(m_nextLook.value_or(busyLook), busyLook));
        return;
    }
    if (m_settings.untilIdle) {
        const Result<bool> idle = isIdle();
        if (idle && *idle) {
            finish(true);
            return;
        }
    }
    const Result<Milliseconds> next = untilNextLook();
    if (next)
        schedule(*next);
    else
        onStoreError(next.error());
}

Result<bool> Engine::Core::work()
{
    const Result<int> settled = m_settler.flush(*m_database);
    if (!settled)
        return settled.error();
    if (const Result<void> reported = m_dispatcher.reportProviders(*m_database); !reported)
        return reported.error();
    const Result<bool> relayed = relayAndPromote();
    if (!relayed)
        return relayed;
    if (*relayed)
        m_dispatcher.lookAgain();
    const Result<Dispatcher::Progress> dispatched = m_dispatcher.runOnce(*m_database);
    if (!dispatched)
        return dispatched.error();
    m_nextLook = dispatched->nextLook;
    const Result<bool> swept = sweep();
    if (!swept)
        return swept;
    // What has results to write or may find more at once goes on; what only waits for answers is woken by them.
    m_lookAtOnce = *relayed || *swept || !m_settler.isEmpty();
    return m_lookAtOnce || *settled > 0 || dispatched->moved > 0;
}

Result<bool> Engine::Core::relayAndPromote()
{
    const Result<store::WorkWaiting> waiting = store::workWaiting(*m_database);
    if (!waiting)
        return waiting.error();
    bool moved = false;
    if (waiting->events) {
        const Result<int> relayed = m_relay.runOnce(*m_database);
        if (!relayed)
            return relayed.error();
        moved = *relayed > 0;
    }
    if (waiting->deliveries) {
        const Result<int> promoted = store::promoteDue(*m_database, m_retryShares, promoteBatch);
        if (!promoted)
            return promoted.error();
        moved = moved || *promoted > 0;
    }
    m_hasUntallied = waiting->untallied;
    if (waiting->operations || (waiting->untallied && isDue(m_lastCount, countEvery))) {
        for (const Round &extra : m_extraRounds) {
            const Result<int> changed = extra(*m_database);
            if (!changed)
                return changed.error();
            if (*changed > 0)
                m_dispatcher.readPausesAgain(); // it may have been a pause
            moved = moved || *changed > 0;
        }
    }
    return moved;
}

bool Engine::Core::isDue(Ticks &last, Milliseconds every)
{
    const Ticks now = m_clock.ticks();
    if (last != Ticks{} && now - last < every)
        return false;
    last = now;
    return true;
}

Result<bool> Engine::Core::sweep()
{
    if (isDue(m_lastHeartbeat, heartbeatEvery)) {
        const auto answer =
            store::heartbeat(*m_database, m_identity, Milliseconds(m_skew.load()), m_dispatcher.inFlight());
        if (!answer)
            return answer.error();
        const Milliseconds skew = m_clock.now() - answer->databaseNow;
        if (std::chrono::abs(skew) > skewLimit && std::chrono::abs(Milliseconds(m_skew.load())) <= skewLimit)
            qWarning("this host's clock is %lld ms off the database's; times are taken from the database, but mend the "
                     "clock",
                     static_cast<long long>(skew.count()));
        m_skew = skew.count();
    }
    if (isDue(m_lastHousekeeping, housekeepingEvery)) {
        if (const Result<void> made = store::makePartitions(*m_database); !made)
            return made.error();
        if (const Result<qint64> pruned = store::pruneRetired(*m_database); !pruned)
            return pruned.error();
    }
    int moved = 0;
    if (isDue(m_lastReconciled, reconcileEvery)) {
        const Result<int> reconciled = m_reconciler.runOnce(*m_database);
        if (!reconciled)
            return reconciled.error();
        moved += *reconciled;
    }
    if (isDue(m_lastReap, reapEvery)) {
        const Result<int> reaped = m_reaper.runOnce(*m_database);
        if (!reaped)
            return reaped.error();
        moved += *reaped;
    }
    return moved > 0;
}

Result<Milliseconds> Engine::Core::untilNextLook()
{
    const Result<std::optional<Milliseconds>> due = store::untilNextDue(*m_database);
    if (!due)
        return due.error();
    Milliseconds next = std::min<Milliseconds>(m_settings.sweep, heartbeatEvery);
    if (*due) // what is due now and did not move in this round waits for something else
        next = std::min<Milliseconds>(next, **due > 0ms ? **due : stuckLook);
    if (m_nextLook)
        next = std::min(next, *m_nextLook);
    if (m_hasUntallied && m_clock.ticks() - m_lastMoved < countLinger)
        next = std::min<Milliseconds>(next, countEvery);
    if (m_settings.untilIdle)
        return std::min<Milliseconds>(next, lingerLook);
    if (m_dispatcher.inFlight() > 0)
        return std::min<Milliseconds>(next, inFlightLook);
    if (m_nextLook)
        return next;
    const Ticks now = m_clock.ticks();
    if (!m_isIdleKnown) {
        m_isIdleKnown = true;
        m_idleSince = now;
    }
    if (m_isAsleep)
        return next;
    if (now - m_idleSince < linger)
        return std::min<Milliseconds>(next, lingerLook);
    if (!m_database->isPostgreSql()) // another process's commit shows in the -wal file
        return next;
    // Declare, commit, look once more at once and again after a second, then wait: an event that is committed around
    // the declaration is met by one of the looks.
    if (const Result<void> declared = store::declareAsleep(*m_database, m_identity, true); !declared)
        return declared.error();
    m_isAsleep = true;
    QTimer::singleShot(1s, this, [this] { schedule(0ms); });
    return Milliseconds(0);
}

Result<bool> Engine::Core::isIdle()
{
    if (m_dispatcher.inFlight() > 0 || !m_settler.isEmpty())
        return false;
    const Result<store::WorkWaiting> waiting = store::workWaiting(*m_database);
    if (!waiting)
        return waiting.error();
    if (waiting->events || waiting->deliveries || waiting->operations)
        return false;
    if (waiting->untallied && m_lastCount <= m_lastMoved) // what its last rows came to is not counted yet
        return false;
    QStringList providers;
    for (const ProviderRules &provider : m_settings.providers)
        providers += provider.settings.name;
    const Result<bool> ready = store::hasRunnableDeliveries(*m_database, providers);
    if (!ready)
        return ready;
    return !*ready;
}

void Engine::Core::onStoreError(const Error &error)
{
    const bool readOnly = error.code == ErrorCode::ReadOnly;
    if (m_listening && !m_database->isConnected()) {
        m_listening = false;
        ++m_listenerLosses;
    }
    m_storeReachable = m_database->isConnected();
    m_storeReadOnly = readOnly;
    // Once for each kind of trouble: away, then reachable but read-only, are two things to know.
    if (error.code != ErrorCode::Busy && (m_trouble.isEmpty() || m_troubleCode != error.code)) {
        m_trouble = error.message;
        m_troubleCode = error.code;
        Q_EMIT m_engine.storeTrouble(m_trouble);
    }
    const Milliseconds wait = std::min(retryMost, retryFirst * (1 << std::min(m_storeFailures, 5)));
    ++m_storeFailures;
    m_timer.start(wait);
}

void Engine::Core::onStoreGood()
{
    m_storeFailures = 0;
    m_storeReachable = true;
    m_storeReadOnly = false;
    if (!m_trouble.isEmpty()) {
        m_trouble.clear();
        Q_EMIT m_engine.storeTrouble(QString());
    }
}

void Engine::Core::drain()
{
    if (m_phase == Phase::Finished)
        return;
    if (m_phase == Phase::Running) {
        m_phase = Phase::Draining;
        m_drainTimer.start(m_settings.drain);
    } else if (m_phase == Phase::Draining) {
        m_phase = Phase::CutOff;
        m_drainTimer.stop();
        m_sender.cancelAll(); // each answer is posted to us before this returns
        // A store that is away keeps nobody for ever: the leases end by themselves.
        m_drainTimer.start(2s);
    } else {
        finish(false);
        return;
    }
    m_timer.start(0ms);
}

void Engine::Core::drainRound()
{
    if (m_phase == Phase::Finished)
        return;
    const bool clean = m_phase == Phase::Draining;
    Result<void> done = m_database->reconnect();
    if (done) {
        const Result<int> settled = m_settler.flush(*m_database);
        done = settled ? m_dispatcher.releaseUnused(*m_database) : Result<void>(settled.error());
    }
    if (!done) {
        m_timer.start(retryFirst);
        return;
    }
    if (m_dispatcher.inFlight() == 0)
        finish(clean);
}

void Engine::Core::finish(bool clean)
{
    m_phase = Phase::Finished;
    m_timer.stop();
    m_drainTimer.stop();
    if (m_database && m_database->isConnected()) {
        if (const Result<void> retired = store::retireEngine(*m_database, m_identity); !retired)
            qWarning("could not sign off from the store: %s", qPrintable(retired.error().message));
    }
    m_inFlight = m_dispatcher.inFlight();
    m_sent = m_dispatcher.handedOver();
    Q_EMIT m_engine.finished(clean);
}

Engine::Health Engine::Core::health() const
{
    return {m_storeReachable, m_storeReadOnly, m_listening, m_listenerLosses, Milliseconds(m_skew.load()),
            m_inFlight,       m_sent,          m_stale};
}

Engine::Engine(EngineSettings settings, channel::Sender &sender, const Clock &clock, QObject *parent)
    : QObject(parent)
    , m_core(std::make_unique<Core>(*this, std::move(settings), sender, clock))
{}

Engine::~Engine() = default;

void Engine::addRound(Round round)
{
    m_core->m_extraRounds.push_back(std::move(round));
}
Result<void> Engine::start(const store::StoreUrl &url, const QString &password)
{
    return m_core->start(url, password);
}
void Engine::drain()
{
    m_core->drain();
}
void Engine::wake()
{
    m_core->wake();
}
Engine::Health Engine::health() const
{
    return m_core->health();
}

} // namespace sendoff::dispatch
