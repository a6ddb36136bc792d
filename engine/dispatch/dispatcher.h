#pragma once
#include "dispatch/delivery_run.h"
#include "dispatch/engine.h"
#include "dispatch/settler.h"
#include "store/pause_store.h"
#include "store/provider_quota.h"
#include <QHash>
#include <map>

namespace sendoff::dispatch {

// Takes quota, claims, renders, reads once more, hands over, and turns answers into settlements. Thread: the engine's;
// the Sender's callbacks are posted to it as onAnswer().
class Dispatcher
{
public:
    // Called on the Sender's thread with a batch number and its results; must bring them to onAnswer() on ours.
    using Deliver = std::function<void(quint64 batch, std::vector<AttemptResult> results)>;

    Dispatcher(const EngineSettings &settings, QString engine, const Clock &clock, channel::Sender &sender,
               SetCache &sets, Settler &settler, Deliver deliver);

    struct Progress
    {
        int moved = 0;                        // rows claimed
        std::optional<Milliseconds> nextLook; // when quota or slots may allow more; nothing: no work is held back
    };
    // One round over all providers and lanes and the inbox.
    Result<Progress> runOnce(store::Database &database);
    void onAnswer(quint64 batch, std::vector<AttemptResult> results);
    // Tells the fleet what answers said about a provider: waits and configuration errors. After the settle.
    Result<void> reportProviders(store::Database &database);
    // Returns leases that could not be handed over; nothing is lost when this fails, they end by themselves.
    Result<void> releaseUnused(store::Database &database);
    // Lanes are looked at again at once: something new may have come.
    void lookAgain() { m_emptyUntil.clear(); }
    // A person may have changed a pause: it is read again before the next claim.
    void readPausesAgain() { m_pausesRead = Ticks{}; }

    int inFlight() const { return m_inFlightRows; }
    qint64 handedOver() const { return m_handedOver; }

private:
    using Ticks = std::chrono::steady_clock::duration;
    struct InFlight
    {
        ClaimedDelivery delivery;
        QByteArray body;
        Timestamp handedAt; // database's clock
    };
    struct Batch
    {
        QString provider;
        Ticks started;
        std::vector<InFlight> rows;
        bool isProbe = false; // of an open breaker: its answer decides
    };
    struct LaneKey
    {
        QString provider;
        Lane lane;
        bool operator<(const LaneKey &other) const
        {
            return std::tie(provider, lane) < std::tie(other.provider, other.lane);
        }
    };
    struct Report
    {
        std::optional<Milliseconds> wait;
        QString trip;              // why its breaker must open; empty: it need not
        bool needsPerson = false;  // the reason is our configuration: it does not end by itself
        std::optional<bool> probe; // whether the probe's answer came from a working provider
    };

    Result<void> readPauses(store::Database &database, Progress &progress);
    Result<int> runInbox(store::Database &database, Progress &progress);
    Result<int> runProvider(store::Database &database, const ProviderRules &rules, Progress &progress);
    Result<int> runLane(store::Database &database, const ProviderRules &rules, Lane lane, int room, Progress &progress);
    Result<int> sendGranted(store::Database &database, const store::ClaimRequest &request, const ProviderRules &rules,
                            const store::QuotaGrant &grant);
    Result<int> passOn(store::Database &database, const ProviderRules &rules, Lane lane, const QString &reason);
    Result<int> runSuspect(store::Database &database, const QString &provider, const ProviderRules *rules);
    Result<int> claimAndSend(store::Database &database, const store::ClaimRequest &request, const ProviderRules *rules);
    Result<void> handOverAndSend(store::Database &database, std::vector<ClaimedDelivery> claimed,
                                 const ProviderRules *rules);
    void send(const ProviderRules &rules, std::vector<InFlight> rows);
    store::ClaimRequest claimRequest(const QString &provider, Lane lane, int limit);
    bool isEmptyForNow(const LaneKey &key) const;
    store::Settlement settlementOf(const Batch &batch, const InFlight &row, const AttemptResult &result) const;
    void noteBatch(const Batch &batch, const std::vector<AttemptResult> &results);
    void note(const QString &provider, const AttemptResult &result, const store::Settlement &settlement);

    const EngineSettings &m_settings;
    QString m_engine;
    const Clock &m_clock;
    channel::Sender &m_sender;
    SetCache &m_sets;
    Settler &m_settler;
    Deliver m_deliver;

    quint64 m_nextBatch = 1;
    std::map<quint64, Batch> m_batches;
    QHash<QString, int> m_requestsInFlight; // by provider
    QHash<QString, Ticks> m_lastClaim;
    std::map<LaneKey, Ticks> m_emptyUntil;
    std::map<LaneKey, Ticks> m_lastUnbounded;
    QHash<QString, Ticks> m_nextSuspect;
    bool m_isProbe = false; // what is sent just now is the one delivery that an open breaker lets through
    QHash<QString, Report> m_reports;
    QHash<QString, int> m_failuresInRow; // requests without any sign of a working provider
    store::PausedParts m_paused;
    Ticks m_pausesRead{};
    std::vector<store::Lease> m_unused;
    int m_inFlightRows = 0;
    int m_suspectsInFlight = 0;
    quint64 m_round = 0;
    qint64 m_handedOver = 0;
};

} // namespace sendoff::dispatch
