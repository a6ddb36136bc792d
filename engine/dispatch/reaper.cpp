#include "dispatch/reaper.h"

#include "dispatch/recovery.h"

#include <QRandomGenerator>

namespace sendoff::dispatch {

namespace {

constexpr int batch = 200;

store::Settlement settlementOf(const store::LostDelivery &lost, const EngineSettings &settings)
{
    const ClaimedDelivery &delivery = lost.delivery;
    store::Settlement settlement;
    settlement.id = delivery.id;
    settlement.token = delivery.token;
    settlement.event = delivery.event;
    settlement.hasSecret = delivery.hasSecret;
    settlement.losses = delivery.losses + 1;
    Progress progress;
    progress.failures = delivery.failures;
    progress.losses = settlement.losses;
    progress.hasUnknown = delivery.hasUnknown;
    progress.now = lost.now;
    progress.expiresAt = delivery.expiresAt;
    progress.firstHandedAt = delivery.firstHandedAt;
    settlement.verdict =
        verdictForLoss(lost.handed, progress, recoveryRules(settings, delivery.provider, delivery.lane),
                       QRandomGenerator::global()->generateDouble());
    // An inbox row commits with its settle: a lost one surely was not written.
    if (delivery.channel == Channel::Inbox && lost.handed && isLive(settlement.verdict.state))
        settlement.verdict.hasUnknown = settlement.verdict.possibleDuplicate = false;
    if (lost.handed) {
        AttemptResult attempt;
        attempt.outcome = Outcome::Unknown;
        attempt.code = QStringLiteral("worker_lost");
        attempt.text = QStringLiteral("the worker was lost before it could record the answer");
        settlement.attempt = attempt;
    }
    return settlement;
}

} // namespace

Reaper::Reaper(const EngineSettings &settings, QString engine, Settler &settler)
    : m_settings(settings)
    , m_engine(std::move(engine))
    , m_settler(settler)
{}

Result<int> Reaper::runOnce(store::Database &database)
{
    const auto lost = store::takeLost(database, m_engine, batch);
    if (!lost)
        return lost.error();
    for (const store::LostDelivery &each : *lost)
        m_settler.add(settlementOf(each, m_settings));
    const Result<int> expired = store::expireOverdue(database, batch);
    if (!expired)
        return expired.error();
    return int(lost->size()) + *expired;
}

} // namespace sendoff::dispatch
