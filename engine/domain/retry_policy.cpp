#include "domain/retry_policy.h"

#include <algorithm>
#include <cmath>

namespace sendoff {

Milliseconds RetryPolicy::fullDelay(int failure) const
{
    const qint64 ceiling = std::max<qint64>(1, max.count());
    qint64 delay = std::clamp<qint64>(base.count(), 1, ceiling);
    // Stops at the ceiling, so that no number of failures can overflow.
    for (int doubled = 1; doubled < failure && delay < ceiling; ++doubled)
        delay = delay > ceiling / 2 ? ceiling : delay * 2;
    return Milliseconds(delay);
}

Milliseconds RetryPolicy::delay(int failure, double random) const
{
    const double full = double(fullDelay(failure).count());
    const double share = std::clamp(jitter, 0.0, 1.0) * std::clamp(random, 0.0, 1.0);
    return Milliseconds(std::max<qint64>(1, qint64(std::llround(full * (1.0 - share)))));
}

} // namespace sendoff
