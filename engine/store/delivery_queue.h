#pragma once
#include "domain/attempt.h"
#include "domain/delivery.h"
#include "domain/eligibility.h"
#include "domain/result.h"
#include "domain/settlement.h"
#include "store/database.h"
#include <map>
#include <vector>

namespace sendoff::store {

// The verbs that move deliveries. Each is one transaction, fenced by lease tokens; times are the database's.

// The share of a provider's sends that retries may have while new work waits, by provider; one that is absent: half.
using RetryShares = std::map<QString, double>;
// Moves due `scheduled` rows to `ready`, giving them their place in fair queueing; answers how many. New rows stand in
// their tenant's flow; the retries of all tenants share one flow of a weight that keeps them within the share.
Result<int> promoteDue(Database &database, const RetryShares &shares, int limit);
// Milliseconds until the next scheduled row, lease end, delayed event or armed operation (0: now), nothing where none
// waits.
Result<std::optional<Milliseconds>> untilNextDue(Database &database);

// What an engine's round has to do, in one cheap read.
struct WorkWaiting
{
    bool events = false;     // to relay
    bool deliveries = false; // to promote
    bool operations = false; // armed and due, or running, and not paused
    bool untallied = false;  // operations whose rows have outcomes to be counted
};
Result<WorkWaiting> workWaiting(Database &database);
// Whether a row of these providers or of the inbox is ready or leased and no person has paused its provider, its
// channel or its lane.
Result<bool> hasRunnableDeliveries(Database &database, const QStringList &providers);
// Ready rows of a provider's lane, counted up to `limit`.
Result<int> countReady(Database &database, const QString &provider, Lane lane, int limit);
// Whether a ready row of this provider has lost a worker.
Result<bool> hasSuspects(Database &database, const QString &provider);

struct ClaimRequest
{
    QString provider; // empty: the inbox
    Lane lane = Lane::Normal;
    int limit = 50;
    QString holder; // the engine's id
    Milliseconds lease{60'000};
    bool bounded = true;            // start at the lane's clock (flat under held snapshots); false about once a second
    bool suspects = false;          // rows that lost a worker: claimed one at a time, away from the others
    std::vector<Lane> withoutLanes; // of suspects: the lanes that are paused
};
Result<std::vector<ClaimedDelivery>> claim(Database &database, const ClaimRequest &request);

struct Lease
{
    DeliveryId id;
    LeaseToken token;
};

// What the last read before the hand-over found.
struct HandOver
{
    DeliveryId id;
    LeaseToken token;
    LastRead read;
    bool handed = false; // counted as an attempt: the request may leave now
    Timestamp now;
};
// The last read and the attempt's count in one transaction: rows that refusalFor() lets through are marked as handed
// over. Rows whose lease is lost or ends within `margin` are not answered at all: they must not be sent.
Result<std::vector<HandOver>> handOver(Database &database, const std::vector<Lease> &leases, Milliseconds margin);

struct InboxEntry
{
    QString title;
    QString body;
    QString link;
    QString locale;
};

// The end of one lease.
struct Settlement
{
    DeliveryId id;
    LeaseToken token;
    EventId event;
    Channel channel = Channel::Email;
    Verdict verdict;
    std::optional<AttemptResult> attempt; // nothing where no request was made (suppressed, held, lost before send)
    int losses = 0;                       // to store: 0 unless the worker was lost
    QByteArray frozen;                    // exact bytes to keep for the next attempt; empty: keep what is there
    std::optional<InboxEntry> inbox;
    bool hasSecret = false; // its event is scrubbed once nothing of it may still send
};
// Writes attempt records, next states, inbox rows, moves what ended to the history, removes its content and scrubs
// secrets: all or nothing. Answers the ids whose lease was lost: nothing was written for them.
Result<std::vector<DeliveryId>> settle(Database &database, const QString &engine,
                                       const std::vector<Settlement> &settlements);
// Keeps a result that came too late as a receipt; an Accepted one resolves the delivery unless it is leased again.
Result<void> recordLateResult(Database &database, const Settlement &settlement);
// Returns leases that were not used, without spending anything.
Result<int> release(Database &database, const std::vector<Lease> &leases);

// A row whose worker was lost, leased to the caller so that it can settle it.
struct LostDelivery
{
    ClaimedDelivery delivery; // without payload
    bool handed = false;      // the request may have left
    Timestamp now;
};
Result<std::vector<LostDelivery>> takeLost(Database &database, const QString &holder, int limit);
// Ends waiting rows whose expiry has passed; answers how many.
Result<int> expireOverdue(Database &database, int limit);

} // namespace sendoff::store
