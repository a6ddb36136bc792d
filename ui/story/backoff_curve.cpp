#include "ui/story/backoff_curve.h"

#include "ui/widgets/wording.h"

#include <algorithm>

namespace sendoff::ui {

namespace {

struct Seen
{
    int failure;
    Milliseconds delay;
    bool byProvider;
};

// Failures that the policy counted, with the wait that followed each.
std::vector<Seen> waitsOf(const DeliveryStory &story)
{
    std::vector<Seen> seen;
    int failure = 0;
    for (const AttemptRecord &attempt : story.attempts) {
        const bool throttled = attempt.outcome == toText(Outcome::Throttled);
        const bool counts =
            attempt.outcome == toText(Outcome::Transient) || attempt.outcome == toText(Outcome::Unknown);
        if (counts)
            ++failure;
        if (!attempt.nextDelay || !(counts || throttled))
            continue;
        seen.push_back({std::max(1, failure), *attempt.nextDelay, throttled || attempt.wait.has_value()});
    }
    return seen;
}

bool holds(const RetryPolicy &policy, const std::vector<Seen> &seen)
{
    return std::all_of(seen.cbegin(), seen.cend(), [&](const Seen &each) {
        const double full = double(policy.fullDelay(each.failure).count());
        const double real = double(each.delay.count());
        // A second of slack: the due time is rounded on its way through the store.
        return each.byProvider || (real <= full + 1000 && real >= full * (1 - policy.jitter) - 1000);
    });
}

} // namespace

BackoffCurve backoffCurve(const DeliveryStory &story)
{
    BackoffCurve curve;
    const std::vector<Seen> seen = waitsOf(story);
    const bool hasOwn = std::any_of(seen.cbegin(), seen.cend(), [](const Seen &each) { return !each.byProvider; });
    if (hasOwn) {
        for (const qint64 base :
             {15'000, 1'000, 2'000, 5'000, 10'000, 20'000, 30'000, 60'000, 120'000, 300'000, 600'000}) {
            RetryPolicy policy;
            policy.base = Milliseconds(base);
            if (holds(policy, seen)) {
                curve.policy = policy;
                curve.isPolicySeen = true;
                break;
            }
        }
    }
    curve.failures = story.delivery.failures;
    const int last = std::max(curve.policy.attempts - 1, seen.empty() ? 0 : seen.back().failure);
    for (int failure = 1; failure <= last; ++failure) {
        BackoffCurve::Wait wait;
        wait.failure = failure;
        wait.most = curve.policy.fullDelay(failure);
        wait.least = curve.policy.delay(failure, 1.0);
        for (const Seen &each : seen) {
            if (each.failure == failure)
                (each.byProvider ? wait.asked : wait.own) = each.delay;
        }
        curve.waits.push_back(wait);
    }
    return curve;
}

QString waitRange(const BackoffCurve::Wait &wait)
{
    return QStringLiteral("%1 – %2").arg(Times::duration(wait.least), Times::duration(wait.most));
}

QString backoffSummary(const BackoffCurve &curve)
{
    const QString rule =
        QCoreApplication::translate("Backoff", "Waits double from %1 to %2, each 75–100 % of its value.")
            .arg(Times::duration(curve.policy.base), Times::duration(curve.policy.max));
    int count = 0;
    Milliseconds last{0};
    for (const BackoffCurve::Wait &wait : curve.waits) {
        for (const auto &real : {wait.own, wait.asked}) {
            if (real) {
                ++count;
                last = *real;
            }
        }
    }
    if (count == 0)
        return rule + QChar(u' ') + QCoreApplication::translate("Backoff", "This delivery has not waited yet.");
    return rule + QChar(u' ') +
           QCoreApplication::translate("Backoff", "This delivery waited %n time(s), the last time %1.", nullptr, count)
               .arg(Times::duration(last));
}

} // namespace sendoff::ui
