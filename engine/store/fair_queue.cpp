#include "store/fair_queue.h"

#include "store/database.h"

#include <algorithm>

namespace sendoff::store {

namespace {
constexpr qint64 unitCost = 1000; // of one message at weight 1
}

std::map<FlowKey, std::vector<qint64>> startTags(Session &session, const std::map<FlowKey, int> &counts,
                                                 const FlowWeights &weights)
{
    std::map<FlowKey, std::vector<qint64>> tags;
    for (const auto &[key, count] : counts) {
        session.run(
            "INSERT INTO sendoff_lane_clock (provider, lane) VALUES (?, ?) ON CONFLICT (provider, lane) DO NOTHING",
            {key.provider, key.lane});
        const auto weight = weights.find(key);
        const qint64 cost =
            weight == weights.end() ? unitCost : std::max<qint64>(1, qint64(double(unitCost) / weight->second));
        const qint64 added = cost * count;
        // A flow that was idle starts at the lane's clock: it gets no credit for the past and owes nothing.
        Cursor row =
            session.run("INSERT INTO sendoff_flow AS f (provider, lane, tenant, fin) "
                        "SELECT provider, lane, ?, v + ? FROM sendoff_lane_clock WHERE provider = ? AND lane = ? "
                        "ON CONFLICT (provider, lane, tenant) DO UPDATE SET fin = "
                        "(CASE WHEN f.fin > excluded.fin - ? THEN f.fin ELSE excluded.fin - ? END) + ? RETURNING fin",
                        {key.tenant, added, key.provider, key.lane, added, added, added});
        row.next();
        const qint64 end = row.integer(0);
        std::vector<qint64> &own = tags[key];
        for (int each = 0; each < count; ++each)
            own.push_back(end - (count - each) * cost);
    }
    return tags;
}

} // namespace sendoff::store
