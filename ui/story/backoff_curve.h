#pragma once
#include "domain/records.h"
#include "domain/retry_policy.h"

#include <QString>
#include <vector>

namespace sendoff::ui {

// The waits of one delivery beside those its retry policy allows. A plain value, no Qt Charts.
struct BackoffCurve
{
    struct Wait
    {
        int failure = 0;       // after which failure
        Milliseconds least{0}; // the policy's band
        Milliseconds most{0};
        std::optional<Milliseconds> own;   // chosen by the policy; nothing: not reached
        std::optional<Milliseconds> asked; // by the provider, beside or in place of it
    };
    RetryPolicy policy;
    bool isPolicySeen = false; // read from this delivery's own waits; otherwise the defaults are assumed
    std::vector<Wait> waits;
    int failures = 0;
};

// The store does not hold the policy of an engine, so it is read from the waits: the shortest usual base whose band
// holds them all, else the defaults.
BackoffCurve backoffCurve(const DeliveryStory &story);
// The chart in one or two sentences, spoken and printed below it.
QString backoffSummary(const BackoffCurve &curve);
// "11 s – 15 s" for the table.
QString waitRange(const BackoffCurve::Wait &wait);

} // namespace sendoff::ui
