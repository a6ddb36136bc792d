#pragma once
#include "domain/attempt.h"
#include "domain/retry_policy.h"
#include "domain/words.h"
#include <QString>
#include <optional>

namespace sendoff {

enum class OnUnknown { Retry, Hold };

// What the rules know of a delivery when an attempt ends.
struct Progress
{
    int failures = 0; // before this attempt
    int attempts = 0; // before this attempt
    int losses = 0;   // workers lost in a row, this one included
    bool hasUnknown = false;
    Timestamp now; // database's clock
    Timestamp expiresAt;
    std::optional<Timestamp> firstHandedAt;
};

struct RecoveryRules
{
    RetryPolicy retry;
    Milliseconds idempotencyWindow{0}; // how long the provider remembers a key; 0: it has none
    OnUnknown onUnknown = OnUnknown::Retry;
};

// The next state of a delivery and what to write with it.
struct Verdict
{
    DeliveryState state = DeliveryState::Scheduled;
    Reason reason = Reason::None;
    Milliseconds delay{0}; // for Scheduled
    int failures = 0;      // after this attempt
    bool hasUnknown = false;
    bool possibleDuplicate = false; // the next send may repeat one that arrived
    QString detail;                 // a sentence for a person, may be empty
};

constexpr int maxLosses = 3; // workers lost in a row that end a delivery

// The verdict after an attempt that ended; `random` in [0, 1) is the jitter. Pure.
Verdict verdictFor(const AttemptResult &result, const Progress &progress, const RecoveryRules &rules, double random);
// The verdict after the worker was lost; `handed` tells whether the request may have left.
Verdict verdictForLoss(bool handed, const Progress &progress, const RecoveryRules &rules, double random);

} // namespace sendoff
