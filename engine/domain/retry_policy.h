#pragma once
#include "domain/clock.h"

namespace sendoff {

// When a failed delivery is tried again: base doubling to max, each delay 75-100 % of its value. A plain value.
struct RetryPolicy
{
    Milliseconds base{15'000};
    Milliseconds max{3'600'000};
    int attempts = 10;                // failures that end a delivery
    double jitter = 0.25;             // share of the delay that may be taken off
    Milliseconds maxWait{86'400'000}; // the longest provider wait that is honoured

    // The delay after failure number n (1, 2, …; below 1 counts as 1) before jitter: min(max, base * 2^(n-1)).
    Milliseconds fullDelay(int failure) const;
    // The delay with jitter; `random` in [0, 1). Never zero or negative, whatever the configuration.
    Milliseconds delay(int failure, double random) const;
};

} // namespace sendoff
