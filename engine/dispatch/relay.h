#pragma once
#include "dispatch/set_cache.h"
#include "domain/routing.h"
#include "store/outbox.h"

namespace sendoff::dispatch {

// Turns pending events into deliveries by the published catalogue, each event once. An event that can't be relayed is
// put aside and never blocks the others.
class Relay final : private store::RelayPlanner
{
public:
    Relay(SetCache &sets, RoutingRules rules);

    // One batch; answers how many events it dealt with (0: none waits, or nothing is published yet).
    Result<int> runOnce(store::Database &database);

private:
    std::vector<UserId> users(const Event &event) override;
    std::variant<store::RelayPlan, store::RelayRefusal> plan(const Event &event,
                                                             const std::vector<Contact> &contacts) override;
    const EventType *typeOf(const Event &event) const;

    SetCache &m_sets;
    RoutingRules m_rules;
    const PublishedSet *m_current = nullptr;
    int m_limit;
};

} // namespace sendoff::dispatch
