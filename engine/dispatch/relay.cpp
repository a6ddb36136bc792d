#include "dispatch/relay.h"

#include "domain/json_document.h"
#include "store/published_sets.h"

namespace sendoff::dispatch {

namespace {
constexpr int batch = 200; // events a transaction: the store's measured knee, and short enough for other writers
}

Relay::Relay(SetCache &sets, RoutingRules rules)
    : m_sets(sets)
    , m_rules(std::move(rules))
    , m_limit(batch)
{}

Result<int> Relay::runOnce(store::Database &database)
{
    const Result<qint64> current = store::currentPublishedSet(database);
    if (!current)
        return current.error();
    if (*current == 0)
        return 0;
    const auto entry = m_sets.entry(database, *current);
    if (!entry)
        return entry.error();
    m_current = &(*entry)->set;
    const Result<store::RelayCount> count = store::relayEvents(database, m_limit, m_current->id, *this);
    if (count) {
        m_limit = batch;
        return count->events;
    }
    const ErrorCode code = count.error().code;
    const bool isTheEventsFault =
        code == ErrorCode::Invalid || code == ErrorCode::Corrupt || code == ErrorCode::Conflict;
    if (!isTheEventsFault)
        return count.error();
    // One event makes the store refuse the batch: find it by going one by one.
    if (m_limit > 1) {
        m_limit = 1;
        return 1;
    }
    if (const Result<void> refused =
            store::refuseFirstPending(database, QStringLiteral("the store refuses it: ") + count.error().message);
        !refused)
        return refused.error();
    return 1;
}

const EventType *Relay::typeOf(const Event &event) const
{
    const auto type = m_current->catalogue.types.constFind(event.type);
    return type == m_current->catalogue.types.constEnd() ? nullptr : &*type;
}

std::vector<UserId> Relay::users(const Event &event)
{
    const EventType *type = typeOf(event);
    const Result<JsonValue> payload = parsePayload(event.payload);
    if (!type || !payload)
        return {};
    return usersOf(*type, *payload);
}

std::variant<store::RelayPlan, store::RelayRefusal> Relay::plan(const Event &event,
                                                                const std::vector<Contact> &contacts)
{
    const EventType *type = typeOf(event);
    if (!type)
        return store::RelayRefusal{
            QStringLiteral("the published catalogue has no event type \"%1\"; add it, publish, and retry the event")
                .arg(event.type)};
    const Result<JsonValue> payload = parsePayload(event.payload);
    if (!payload)
        return store::RelayRefusal{payload.error().message};
    Result<Routing> routing = route(event, *type, *payload, contacts, m_rules, m_current->catalogue.defaultLocale);
    if (!routing)
        return store::RelayRefusal{routing.error().message};
    return store::RelayPlan{std::move(routing->deliveries), routing->folded, type->secrets};
}

} // namespace sendoff::dispatch
