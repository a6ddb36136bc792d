#include "domain/settlement.h"

#include <algorithm>

namespace sendoff {

namespace {

// An unresolved Unknown forbids every end that says "not sent".
Verdict ended(DeliveryState state, Reason reason, const Progress &progress, int failures)
{
    Verdict verdict;
    verdict.failures = failures;
    verdict.hasUnknown = progress.hasUnknown;
    verdict.state = progress.hasUnknown ? DeliveryState::Unknown : state;
    verdict.reason = progress.hasUnknown ? Reason::OutcomeUnknown : reason;
    return verdict;
}

struct Wait
{
    Milliseconds delay;
    bool clamped = false;
};

// The provider's wait is a floor, its jitter goes upwards only (so that a fleet does not come back in one instant)
// and our maximum is a ceiling.
Wait waitFor(const AttemptResult &result, int failure, const RetryPolicy &retry, double random)
{
    const Milliseconds own = std::min(retry.delay(failure, random), std::max(retry.maxWait, Milliseconds(1)));
    if (!result.wait || *result.wait <= Milliseconds(0))
        return {own, false};
    if (*result.wait >= retry.maxWait)
        return {std::max(retry.maxWait, Milliseconds(1)), *result.wait > retry.maxWait};
    const auto upward = Milliseconds(qint64(double(result.wait->count()) * 0.1 * random));
    return {std::min(std::max(*result.wait + upward, own), retry.maxWait), false};
}

Verdict again(Reason reason, Wait wait, const Progress &progress, int failures)
{
    if (progress.now + wait.delay >= progress.expiresAt) {
        Verdict verdict = ended(DeliveryState::Expired, Reason::PastExpiry, progress, failures);
        verdict.detail = QStringLiteral("the next try would come after its expiry");
        return verdict;
    }
    Verdict verdict;
    verdict.state = DeliveryState::Scheduled;
    verdict.reason = reason;
    verdict.delay = wait.delay;
    verdict.failures = failures;
    verdict.hasUnknown = progress.hasUnknown;
    if (wait.clamped)
        verdict.detail = QStringLiteral("the provider asked for a longer wait than max_wait allows; max_wait is used");
    return verdict;
}

Verdict afterUnknown(Wait wait, Progress progress, const RecoveryRules &rules, int failures, bool budgetSpent)
{
    progress.hasUnknown = true;
    if (budgetSpent)
        return ended(DeliveryState::Unknown, Reason::OutcomeUnknown, progress, failures);
    const Timestamp first = progress.firstHandedAt.value_or(progress.now);
    const bool keyStillHolds = progress.now + wait.delay < first + rules.idempotencyWindow;
    if (!keyStillHolds && rules.onUnknown == OnUnknown::Hold) {
        Verdict verdict;
        verdict.state = DeliveryState::Held;
        verdict.reason = Reason::OutcomeUnknown;
        verdict.failures = failures;
        verdict.hasUnknown = true;
        verdict.detail = QStringLiteral("it may have been sent; the lane's policy leaves the next step to a person");
        return verdict;
    }
    Verdict verdict = again(Reason::OutcomeUnknown, wait, progress, failures);
    verdict.possibleDuplicate = !keyStillHolds && verdict.state == DeliveryState::Scheduled;
    return verdict;
}

} // namespace

Verdict verdictFor(const AttemptResult &result, const Progress &progress, const RecoveryRules &rules, double random)
{
    const int failure = progress.failures + 1;
    const bool budgetSpent = failure >= rules.retry.attempts;
    const Wait wait = waitFor(result, failure, rules.retry, random);

    if (result.idempotencyConflict) {
        Progress mayStand = progress;
        mayStand.hasUnknown = true;
        Verdict verdict = ended(DeliveryState::Unknown, Reason::OutcomeUnknown, mayStand, failure);
        verdict.detail = QStringLiteral("the provider already took another body under this key");
        return verdict;
    }
    switch (result.outcome) {
    case Outcome::Accepted: {
        Verdict verdict;
        verdict.state = DeliveryState::Accepted;
        verdict.failures = progress.failures;
        return verdict;
    }
    case Outcome::Throttled:
        // The limit of one device or destination pauses no bucket: the waits grow with the attempts instead.
        return again(Reason::Throttled,
                     result.pausesBucket ? wait : waitFor(result, progress.attempts + 1, rules.retry, random), progress,
                     progress.failures);
    case Outcome::Configuration:
        if (result.tripsBreaker)
            return again(Reason::Configuration, wait, progress, progress.failures);
        // It concerns this recipient alone, and no breaker holds it back: it may not go on for ever.
        if (budgetSpent)
            return ended(DeliveryState::Dead, Reason::Configuration, progress, failure);
        return again(Reason::Configuration, wait, progress, failure);
    case Outcome::Transient:
        if (budgetSpent)
            return ended(DeliveryState::Dead, Reason::AttemptsSpent, progress, failure);
        return again(Reason::Retry, wait, progress, failure);
    case Outcome::PermanentRecipient:
        return ended(DeliveryState::Dead, Reason::PermanentRecipient, progress, failure);
    case Outcome::PermanentMessage:
        return ended(DeliveryState::Dead, Reason::PermanentMessage, progress, failure);
    case Outcome::Unknown:
        return afterUnknown(wait, progress, rules, failure, budgetSpent);
    }
    Q_UNREACHABLE();
}

Verdict verdictForLoss(bool handed, const Progress &progress, const RecoveryRules &rules, double random)
{
    if (!handed) {
        if (progress.losses >= maxLosses) {
            Verdict verdict = ended(DeliveryState::Dead, Reason::WorkerLost, progress, progress.failures);
            verdict.detail = QStringLiteral("%1 workers in a row were lost with it").arg(progress.losses);
            return verdict;
        }
        // Nothing left us, so nothing is to be waited for: it is ready at once.
        return again(Reason::WorkerLost, {Milliseconds(0), false}, progress, progress.failures);
    }
    const int failure = progress.failures + 1;
    const bool budgetSpent = failure >= rules.retry.attempts || progress.losses >= maxLosses;
    Verdict verdict = afterUnknown({rules.retry.delay(failure, random), false}, progress, rules, failure, budgetSpent);
    if (verdict.detail.isEmpty())
        verdict.detail = QStringLiteral("the worker was lost after the request may have left");
    return verdict;
}

} // namespace sendoff
