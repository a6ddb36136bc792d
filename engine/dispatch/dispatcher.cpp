#include "dispatch/dispatcher.h"

#include "dispatch/recovery.h"
#include "dispatch/test_hook.h"
#include "store/failover_store.h"

#include <QRandomGenerator>
#include <QSet>
#include <algorithm>

namespace sendoff::dispatch {

using namespace std::chrono_literals;

namespace {
constexpr auto emptyFor = 50ms;     // how long an empty lane is left alone unless something new is known
constexpr auto unboundedEvery = 1s; // a claim below the lane's clock, for late commits and returned rows
constexpr auto suspectEvery = 1s;   // rows that lost a worker are rare and have waited for a lease's end already
constexpr auto slotPatience = 10ms; // free slots are filled in bulk, but nobody waits longer than this for it
constexpr auto leaseMargin = 1s;    // what a lease must last beyond the deadline of its attempt
constexpr auto inboxMargin = 1s;
constexpr auto pausesLast = 250ms;        // how long a read of people's pauses holds
constexpr Milliseconds pausedLook{1'500}; // while something is paused: its end counts within two seconds
constexpr auto defaultThrottle = 1s;      // of a bucket whose provider named no wait

// So many requests in a row that came to nothing are an outage: its breaker opens, which spends no delivery's attempts.
constexpr int outageFailures = 20;
constexpr int passOnAtOnce = 500;

// "urgent first, bulk never starved": every tenth round bulk goes before normal.
std::array<Lane, 3> laneOrder(quint64 round)
{
    return round % 10 == 9 ? std::array{Lane::Urgent, Lane::Bulk, Lane::Normal}
                           : std::array{Lane::Urgent, Lane::Normal, Lane::Bulk};
}

void soonest(std::optional<Milliseconds> &next, Milliseconds candidate)
{
    next = next ? std::min(*next, candidate) : candidate;
}
} // namespace

Dispatcher::Dispatcher(const EngineSettings &settings, QString engine, const Clock &clock, channel::Sender &sender,
                       SetCache &sets, Settler &settler, Deliver deliver)
    : m_settings(settings)
    , m_engine(std::move(engine))
    , m_clock(clock)
    , m_sender(sender)
    , m_sets(sets)
    , m_settler(settler)
    , m_deliver(std::move(deliver))
{}

Result<Dispatcher::Progress> Dispatcher::runOnce(store::Database &database)
{
    Progress progress;
    ++m_round;
    if (const Result<void> released = releaseUnused(database); !released)
        return released.error();
    if (const Result<void> read = readPauses(database, progress); !read)
        return read.error();
    const Result<int> inbox = runInbox(database, progress);
    if (!inbox)
        return inbox.error();
    progress.moved += *inbox;
    for (const ProviderRules &rules : m_settings.providers) {
        const Result<int> moved = runProvider(database, rules, progress);
        if (!moved)
            return moved.error();
        progress.moved += *moved;
    }
    return progress;
}

Result<void> Dispatcher::readPauses(store::Database &database, Progress &progress)
{
    const Ticks now = m_clock.ticks();
    if (m_pausesRead == Ticks{} || now - m_pausesRead >= pausesLast ||
        (m_paused.untilNextEnd && now - m_pausesRead >= *m_paused.untilNextEnd)) {
        auto paused = store::pausedParts(database);
        if (!paused)
            return paused.error();
        m_paused = std::move(*paused);
        m_pausesRead = now;
    }
    // Nobody wakes an engine when a pause ends by itself, or when another engine lifts it.
    if (!m_paused.isEmpty())
        soonest(progress.nextLook, std::min(pausedLook, m_paused.untilNextEnd.value_or(pausedLook)));
    return {};
}

Result<int> Dispatcher::runInbox(store::Database &database, Progress &progress)
{
    int moved = 0;
    if (m_paused.holds(QString(), Channel::Inbox))
        return moved;
    for (const Lane lane : laneOrder(m_round)) {
        const LaneKey key{QString(), lane};
        if (m_paused.holds(lane) || isEmptyForNow(key))
            continue;
        const Result<int> ready = store::countReady(database, QString(), lane, 1); // far cheaper than an empty claim
        if (!ready)
            return ready;
        if (*ready == 0) {
            m_emptyUntil[key] = m_clock.ticks() + emptyFor;
            continue;
        }
        const Result<int> claimed = claimAndSend(database, claimRequest(QString(), lane, m_settings.batch), nullptr);
        if (!claimed)
            return claimed.error();
        moved += *claimed;
        if (*claimed == 0)
            m_emptyUntil[key] = m_clock.ticks() + emptyFor;
        if (*claimed >= m_settings.batch)
            soonest(progress.nextLook, 0ms);
    }
    const Result<int> suspect = runSuspect(database, QString(), nullptr);
    return suspect ? Result<int>(moved + *suspect) : suspect;
}

Result<int> Dispatcher::runProvider(store::Database &database, const ProviderRules &rules, Progress &progress)
{
    const QString &name = rules.settings.name;
    if (m_paused.holds(name, rules.settings.channel))
        return 0;
    const channel::ProviderKind *kind = channel::providerKind(rules.settings.kind);
    const int perRequest = kind ? std::max(1, kind->batch) : 1;
    const int slotCount = std::max(1, rules.settings.slotCount);
    const int inFlight = m_requestsInFlight.value(name);
    // Slots that come free one by one are collected, so that a claim takes many rows; nobody waits long for that.
    const bool isFillWorthwhile = (slotCount - inFlight) * 2 >= std::min(slotCount, m_settings.batch) || inFlight == 0;
    if (!isFillWorthwhile && m_clock.ticks() - m_lastClaim.value(name) < slotPatience) {
        soonest(progress.nextLook, slotPatience);
        return 0;
    }
    int moved = 0;
    for (const Lane lane : laneOrder(m_round)) {
        const int freeSlots = slotCount - m_requestsInFlight.value(name);
        if (freeSlots <= 0)
            break;
        if (m_paused.holds(lane) || isEmptyForNow({name, lane}))
            continue;
        const Result<int> sent = runLane(database, rules, lane, freeSlots * perRequest, progress);
        if (!sent)
            return sent.error();
        moved += *sent;
    }
    if (slotCount > m_requestsInFlight.value(name)) {
        const Result<int> suspect = runSuspect(database, name, &rules);
        if (!suspect)
            return suspect.error();
        moved += *suspect;
    }
    if (moved > 0)
        m_lastClaim[name] = m_clock.ticks();
    return moved;
}

Result<int> Dispatcher::runLane(store::Database &database, const ProviderRules &rules, Lane lane, int room,
                                Progress &progress)
{
    const QString &name = rules.settings.name;
    const channel::ProviderKind *kind = channel::providerKind(rules.settings.kind);
    int want = std::min(room, std::max(m_settings.batch, kind ? kind->batch : 1));
    // Tokens are void when they are not used, so none are taken before it is known that rows wait.
    const Result<int> ready = store::countReady(database, name, lane, want);
    if (!ready)
        return ready.error();
    if (*ready == 0) {
        m_emptyUntil[{name, lane}] = m_clock.ticks() + emptyFor;
        return 0;
    }
    want = std::min(want, *ready);
    const double reserve = lane == Lane::Urgent ? 0 : m_settings.lanes.value(Lane::Urgent).reserve;
    const Result<store::QuotaGrant> grant = store::takeQuota(database, name, want, int(reserve * rules.burst));
    if (!grant)
        return grant.error();
    if (grant->granted < want || !grant->blockedBy.isEmpty())
        soonest(progress.nextLook, std::max<Milliseconds>(grant->wait, 1ms));
    if (grant->granted == 0)
        return grant->blockedBy == QLatin1String("breaker")
                   ? passOn(database, rules, lane, QStringLiteral("its breaker is open"))
                   : Result<int>(0);
    const Result<int> sent = sendGranted(database, claimRequest(name, lane, grant->granted), rules, *grant);
    if (sent && *sent > 0 && grant->blockedBy.isEmpty() && grant->granted == want)
        soonest(progress.nextLook, 0ms);
    return sent;
}

// What was granted and not sent is given back: a limit of a hundred a day means a hundred.
Result<int> Dispatcher::sendGranted(store::Database &database, const store::ClaimRequest &request,
                                    const ProviderRules &rules, const store::QuotaGrant &grant)
{
    const qint64 before = m_handedOver;
    m_isProbe = grant.blockedBy == QLatin1String("breaker");
    const Result<int> sent = claimAndSend(database, request, &rules);
    m_isProbe = false;
    if (!sent)
        return sent;
    const Result<void> given =
        store::giveBackQuota(database, request.provider, grant, grant.granted - int(m_handedOver - before));
    return given ? sent : Result<int>(given.error());
}

// An open breaker: the next provider of the channel that can send takes what waits. Coming back is slow by itself: the
// rows that were passed on stay there, and a breaker that closes begins at a tenth of its rate.
Result<int> Dispatcher::passOn(store::Database &database, const ProviderRules &rules, Lane lane, const QString &reason)
{
    QStringList others;
    for (const ProviderRules &each : m_settings.providers) { // in the order of their priority
        if (each.settings.channel == rules.settings.channel && each.settings.name != rules.settings.name)
            others += each.settings.name;
    }
    if (others.isEmpty())
        return 0;
    const Result<QStringList> sendable = store::sendableProviders(database, others);
    if (!sendable)
        return sendable.error();
    for (const QString &other : others) {
        if (sendable->contains(other))
            return store::failOver(
                database, {rules.settings.channel, rules.settings.name, other, reason, m_engine, lane}, passOnAtOnce);
    }
    return 0;
}

// A row that lost a worker may be the one that kills them: it goes alone, so that it takes no neighbour along.
Result<int> Dispatcher::runSuspect(store::Database &database, const QString &provider, const ProviderRules *rules)
{
    Ticks &next = m_nextSuspect[provider];
    if (m_suspectsInFlight > 0 || m_clock.ticks() < next)
        return 0;
    store::ClaimRequest request = claimRequest(provider, Lane::Normal, 1);
    request.suspects = true;
    for (const Lane lane : {Lane::Urgent, Lane::Normal, Lane::Bulk}) {
        if (m_paused.holds(lane))
            request.withoutLanes.push_back(lane);
    }
    const Result<bool> isThere = store::hasSuspects(database, provider);
    if (!isThere)
        return isThere.error();
    store::QuotaGrant grant{1, Milliseconds(0), {}, {}};
    if (*isThere && rules) {
        auto taken = store::takeQuota(database, provider, 1, 0);
        if (!taken)
            return taken.error();
        grant = std::move(*taken);
    }
    if (!*isThere || grant.granted == 0) {
        next = m_clock.ticks() + suspectEvery;
        return 0;
    }
    const Result<int> claimed =
        rules ? sendGranted(database, request, *rules, grant) : claimAndSend(database, request, rules);
    if (claimed && *claimed == 0)
        next = m_clock.ticks() + suspectEvery;
    return claimed;
}

bool Dispatcher::isEmptyForNow(const LaneKey &key) const
{
    const auto until = m_emptyUntil.find(key);
    return until != m_emptyUntil.end() && m_clock.ticks() < until->second;
}

store::ClaimRequest Dispatcher::claimRequest(const QString &provider, Lane lane, int limit)
{
    store::ClaimRequest request;
    request.provider = provider;
    request.lane = lane;
    request.limit = limit;
    request.holder = m_engine;
    request.lease = m_settings.lease;
    Ticks &last = m_lastUnbounded[{provider, lane}];
    const Ticks now = m_clock.ticks();
    request.bounded = last != Ticks{} && now - last < unboundedEvery;
    if (!request.bounded)
        last = now;
    return request;
}

Result<int> Dispatcher::claimAndSend(store::Database &database, const store::ClaimRequest &request,
                                     const ProviderRules *rules)
{
    reachTestPoint("before_claim");
    auto claimed = store::claim(database, request);
    if (!claimed)
        return claimed.error();
    if (int(claimed->size()) < request.limit) // rows below the lane's clock show in an unbounded claim only
        m_lastUnbounded[{request.provider, request.lane}] = Ticks{};
    if (claimed->empty())
        return 0;
    reachTestPoint("after_claim");
    const int count = int(claimed->size());
    const Result<void> sent = handOverAndSend(database, std::move(*claimed), rules);
    return sent ? Result<int>(count) : Result<int>(sent.error());
}

Result<void> Dispatcher::handOverAndSend(store::Database &database, std::vector<ClaimedDelivery> claimed,
                                         const ProviderRules *rules)
{
    struct ReadyRow
    {
        ClaimedDelivery delivery;
        Prepared prepared;
    };
    std::map<QString, ReadyRow> ready;
    std::vector<store::Lease> leases;
    std::optional<Error> failure;
    for (ClaimedDelivery &delivery : claimed) {
        if (failure) {
            m_unused.push_back({delivery.id, delivery.token});
            continue;
        }
        Result<Prepared> each = prepared(database, m_sets, delivery, rules ? &rules->settings : nullptr);
        if (!each) {
            failure = each.error();
            m_unused.push_back({delivery.id, delivery.token});
        } else if (auto *settlement = std::get_if<store::Settlement>(&*each)) {
            m_settler.add(std::move(*settlement));
        } else {
            leases.push_back({delivery.id, delivery.token});
            const QString id = delivery.id.value;
            ready.emplace(id, ReadyRow{std::move(delivery), std::move(*each)});
        }
    }
    // The last read: what changed and was committed before it is honoured; what it lets through may leave now.
    const Milliseconds margin = rules ? rules->settings.timeout + leaseMargin : Milliseconds(inboxMargin);
    const auto answers = store::handOver(database, leases, margin);
    if (!answers) {
        m_unused.insert(m_unused.end(), leases.begin(), leases.end());
        return answers.error();
    }
    reachTestPoint("after_hand_over");
    std::vector<InFlight> rows;
    for (const store::HandOver &answer : *answers) {
        ReadyRow &row = ready.at(answer.id.value);
        if (const auto refusal = refusalFor(answer.read)) {
            m_settler.add(settledWithoutRequest(row.delivery, refusal->state, refusal->reason, refusal->detail));
        } else if (auto *entry = std::get_if<store::InboxEntry>(&row.prepared)) {
            store::Settlement settlement =
                settledWithoutRequest(row.delivery, DeliveryState::Delivered, Reason::None, {});
            settlement.verdict.state = DeliveryState::Delivered;
            settlement.verdict.hasUnknown = false;
            settlement.attempt = AttemptResult{Outcome::Accepted, 0, QStringLiteral("inbox"), {}, {}, {}};
            settlement.inbox = std::move(*entry);
            m_settler.add(std::move(settlement));
        } else {
            QByteArray body = std::get<channel::OutgoingItem>(row.prepared).body;
            rows.push_back({std::move(row.delivery), std::move(body), answer.now});
        }
    }
    if (!rows.empty())
        send(*rules, std::move(rows));
    return failure ? Result<void>(*failure) : Result<void>();
}

void Dispatcher::send(const ProviderRules &rules, std::vector<InFlight> rows)
{
    const channel::ProviderKind *kind = channel::providerKind(rules.settings.kind);
    const size_t perRequest = size_t(kind ? std::max(1, kind->batch) : 1);
    for (size_t from = 0; from < rows.size(); from += perRequest) {
        const size_t to = std::min(rows.size(), from + perRequest);
        Batch batch{rules.settings.name, m_clock.ticks(), {}, m_isProbe};
        std::vector<channel::OutgoingItem> items;
        for (size_t at = from; at < to; ++at) {
            items.push_back({rows[at].delivery.id, rows[at].body, rows[at].delivery.address});
            m_suspectsInFlight += rows[at].delivery.losses > 0 ? 1 : 0;
            batch.rows.push_back(std::move(rows[at]));
        }
        const quint64 number = m_nextBatch++;
        m_inFlightRows += int(items.size());
        m_handedOver += qint64(items.size());
        ++m_requestsInFlight[batch.provider];
        m_batches.emplace(number, std::move(batch));
        m_sender.send(
            rules.settings, std::move(items),
            [deliver = m_deliver, number](std::vector<AttemptResult> results) { deliver(number, std::move(results)); });
    }
}

void Dispatcher::onAnswer(quint64 number, std::vector<AttemptResult> results)
{
    reachTestPoint("after_answer");
    const auto found = m_batches.find(number);
    Q_ASSERT(found != m_batches.end());
    const Batch batch = std::move(found->second);
    m_batches.erase(found);
    --m_requestsInFlight[batch.provider];
    m_inFlightRows -= int(batch.rows.size());
    noteBatch(batch, results);
    for (size_t at = 0; at < batch.rows.size(); ++at) {
        m_suspectsInFlight -= batch.rows[at].delivery.losses > 0 ? 1 : 0;
        const AttemptResult result = at < results.size() ? results[at] : AttemptResult{};
        store::Settlement settlement = settlementOf(batch, batch.rows[at], result);
        note(batch.provider, result, settlement);
        m_settler.add(std::move(settlement));
    }
}

store::Settlement Dispatcher::settlementOf(const Batch &batch, const InFlight &row, const AttemptResult &result) const
{
    store::Settlement settlement;
    settlement.id = row.delivery.id;
    settlement.token = row.delivery.token;
    settlement.event = row.delivery.event;
    settlement.channel = row.delivery.channel;
    settlement.hasSecret = row.delivery.hasSecret;
    settlement.attempt = result;
    sendoff::Progress progress;
    progress.failures = row.delivery.failures;
    progress.attempts = row.delivery.attempts;
    progress.hasUnknown = row.delivery.hasUnknown;
    progress.now = row.handedAt + std::chrono::duration_cast<Milliseconds>(m_clock.ticks() - batch.started);
    progress.expiresAt = row.delivery.expiresAt;
    progress.firstHandedAt = row.delivery.firstHandedAt.value_or(row.handedAt);
    settlement.verdict = verdictFor(result, progress, recoveryRules(m_settings, batch.provider, row.delivery.lane),
                                    QRandomGenerator::global()->generateDouble());
    if (isLive(settlement.verdict.state) && row.delivery.frozen.isEmpty())
        settlement.frozen = row.body;
    return settlement;
}

// Whether the provider works, as one request shows it. The destinations of webhooks are not one provider: what one of
// them does says nothing of the others.
void Dispatcher::noteBatch(const Batch &batch, const std::vector<AttemptResult> &results)
{
    const auto has = [&](auto... outcomes) {
        return std::any_of(results.cbegin(), results.cend(),
                           [&](const AttemptResult &each) { return ((each.outcome == outcomes) || ...); });
    };
    const bool isAlive = has(Outcome::Accepted, Outcome::Throttled, Outcome::PermanentRecipient,
                             Outcome::PermanentMessage, Outcome::Configuration);
    if (batch.isProbe)
        m_reports[batch.provider].probe = isAlive && !has(Outcome::Configuration);
    const ProviderRules *rules = providerRules(m_settings, batch.provider);
    const channel::ProviderKind *kind = rules ? channel::providerKind(rules->settings.kind) : nullptr;
    int &failures = m_failuresInRow[batch.provider];
    failures = isAlive || (kind && kind->checksDestination) ? 0 : failures + 1;
}

void Dispatcher::note(const QString &provider, const AttemptResult &result, const store::Settlement &settlement)
{
    Report &report = m_reports[provider];
    switch (result.outcome) {
    case Outcome::Throttled:
        if (result.pausesBucket) {
            const Milliseconds wait =
                result.wait ? std::min(*result.wait, settlement.verdict.delay) : Milliseconds(defaultThrottle);
            report.wait = std::max(report.wait.value_or(0ms), wait);
        }
        break;
    case Outcome::Configuration:
        if (!result.tripsBreaker)
            break;
        report.trip = result.code.isEmpty() ? QStringLiteral("status %1").arg(result.status) : result.code;
        report.needsPerson = true;
        break;
    case Outcome::Accepted:
    case Outcome::PermanentRecipient:
    case Outcome::PermanentMessage:
        break;
    case Outcome::Transient:
    case Outcome::Unknown:
        if (m_failuresInRow.value(provider) >= outageFailures && report.trip.isEmpty())
            report.trip =
                QStringLiteral("%1 requests in a row failed, the last one with %2")
                    .arg(m_failuresInRow.value(provider))
                    .arg(result.code.isEmpty() ? QStringLiteral("status %1").arg(result.status) : result.code);
        break;
    }
}

Result<void> Dispatcher::reportProviders(store::Database &database)
{
    for (auto report = m_reports.begin(); report != m_reports.end();) {
        if (report->wait && *report->wait > 0ms) {
            if (const auto done = store::throttleProvider(database, report.key(), *report->wait); !done)
                return done;
        }
        if (!report->trip.isEmpty() || report->probe == false) {
            const Milliseconds longest = report->needsPerson ? store::longestOpen : store::longestOutageOpen;
            const QString why = report->trip.isEmpty() ? QStringLiteral("it does not answer yet") : report->trip;
            if (const auto done = store::tripBreaker(database, report.key(), why, longest); !done)
                return done;
            m_failuresInRow[report.key()] = 0; // counted: whoever closes it, the next outage begins anew
        } else if (report->probe == true) {
            if (const auto done = store::closeBreaker(database, report.key()); !done)
                return done;
        }
        report = m_reports.erase(report);
    }
    return {};
}

Result<void> Dispatcher::releaseUnused(store::Database &database)
{
    if (m_unused.empty())
        return {};
    const Result<int> released = store::release(database, m_unused);
    if (!released)
        return released.error();
    m_unused.clear();
    return {};
}

} // namespace sendoff::dispatch
