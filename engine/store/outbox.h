#pragma once
#include "domain/event.h"
#include "domain/result.h"
#include "domain/routing.h"
#include "store/database.h"
#include <variant>
#include <vector>

namespace sendoff::store {

// An event to append; what is absent takes the column's default.
struct NewEvent
{
    QString id; // empty: the store gives one
    QString type;
    QByteArray payload;
    QString tenant;
    std::optional<Lane> lane;
    std::optional<Timestamp> availableAt;
    std::optional<Timestamp> expiresAt;
    QString supersedesKey;
};

struct Appended
{
    EventId id;
    bool wasThere = false; // an event with this id stood already; nothing was changed
};

// Appends one event after checking it: Invalid names field and remedy, the same words on every store.
Result<Appended> appendEvent(Database &database, const NewEvent &event);

// What the rules make of one event.
struct RelayPlan
{
    std::vector<PlannedDelivery> deliveries;
    int folded = 0;
    QStringList secrets; // pointers that are scrubbed once no delivery may still send
};
struct RelayRefusal
{
    QString reason; // a sentence that names what to mend
};

// The rules, as the relay's transaction calls them back.
class RelayPlanner
{
public:
    virtual ~RelayPlanner() = default;
    virtual std::vector<UserId> users(const Event &event) = 0; // whose contacts are needed
    virtual std::variant<RelayPlan, RelayRefusal> plan(const Event &event, const std::vector<Contact> &contacts) = 0;
};

struct RelayCount
{
    int events = 0; // looked at
    int relayed = 0;
    int refused = 0; // will be tried again or are rejected now
    int deliveries = 0;
};

// Turns up to `limit` pending events into deliveries, each once, all in one transaction. A later event with the same
// supersedes key takes the unsent deliveries of earlier ones out in the same commit.
Result<RelayCount> relayEvents(Database &database, int limit, qint64 publishedSet, RelayPlanner &planner);
// Counts a failed try of the first pending event, which the relay could not store; three tries reject it.
Result<void> refuseFirstPending(Database &database, const QString &reason);
// Gives rejected events three new tries; answers how many.
Result<qint64> retryRejectedEvents(Database &database, const std::vector<EventId> &events);

} // namespace sendoff::store
