#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <functional>
#include <optional>
#include <vector>

namespace sendoff::store {

// People's commands as rows, and the moves of deliveries that they make. Which row may be moved is admin's rule.

struct NewOperation
{
    QString verb;
    QString filter; // canonical text
    qint64 watermark = 0;
    qint64 expected = 0;
    QByteArray parameters = "{}"; // see domain/operation.h
    qint64 rate = 0;
    int stopAtFailures = 0; // percent; 0: never
    QString reason;
    QString actor; // PostgreSQL stamps the login instead
    Milliseconds armed{0};
    QString dedupe; // empty: none
};
// Stores it armed, with its audit row. An operation with the same dedupe text is answered instead, whatever became of
// it.
Result<OperationRecord> storeOperation(Database &database, const NewOperation &operation);
// Only while it is armed: Refused afterwards, NotFound.
Result<OperationRecord> undoOperation(Database &database, qint64 id, const QString &actor);
// An armed one is undone; a running one ends after its current batch. Refused once it has ended.
Result<OperationRecord> stopOperation(Database &database, qint64 id, const QString &actor);
// A paused one keeps its place. Refused once it has ended.
Result<OperationRecord> pauseOperation(Database &database, qint64 id, bool paused, const QString &actor);
Result<OperationRecord> setOperationRate(Database &database, qint64 id, int rate, const QString &actor);
// NotFound. Says too how many rows its filter finds that were not part of it.
Result<OperationRecord> operationById(Database &database, qint64 id);
Result<OperationRecord> operationByDedupe(Database &database, const QString &dedupe); // NotFound
// Newest first; limit 1…1000.
Result<std::vector<OperationRecord>> listOperations(Database &database, int limit);
// What became of each row, newest first; limit 1…100000. `result` done, skipped or failed; empty: all.
Result<std::vector<OperationItemRecord>> operationItems(Database &database, qint64 id, const QString &result,
                                                        int limit);
// The states a verb of rows may change; empty for other verbs.
std::vector<DeliveryState> changeableStates(const QString &verb);

// One matched delivery as the rules see it.
struct OperationRow
{
    DeliveryId id;
    LeaseToken token;
    EventId event;
    DeliveryState state = DeliveryState::Ready;
    QString channel;
    QString provider;
    QString category;
    QString code; // of the last attempt
    bool hasAddress = false;
    bool hasSecret = false;
    bool hasUnknown = false;
    bool isExpired = false;   // at the time that the scope or the plan asks about
    Milliseconds lifetime{0}; // from creation to its expiry
    bool secretGone = false;  // the event's secrets were scrubbed
    bool contentGone = false; // its own or the event's content was removed, or the event itself
};

// What one operation would meet, all of one moment: rows that are alike to the rules stand together.
struct OperationScope
{
    struct Group
    {
        OperationRow row; // without id, token, event and lifetime
        qint64 count = 0;
    };
    qint64 watermark = 0; // the newest event
    std::vector<Group> groups;
    qint64 count = 0;
    bool isCapped = false; // it stopped at the limit, or after a bounded number of rows: there may be more
    qint64 people = 0;
    std::vector<DeliveryRecord> samples; // the newest, five at the most
};
// At most `limit` matching rows, the newest first, among a bounded number of rows looked at. `expiryAt`: when a row's
// expiry is asked about, if that is later than now. Reads no address and no payload.
Result<OperationScope> operationScope(Database &database, const Filter &filter, int limit,
                                      std::optional<Timestamp> expiryAt = std::nullopt);
struct EventScope
{
    qint64 watermark = 0;
    qint64 count = 0; // rejected events, capped at `limit`
};
Result<EventScope> rejectedEventScope(Database &database, const Filter &filter, int limit);

// What a rule answers for one row.
struct RowChange
{
    enum class Kind {
        Skip,
        Schedule,   // gives it back at the operation's rate, its failures forgotten
        Reschedule, // waits until the plan's time
        Edit,       // an edited copy is scheduled in its place
        End
    };
    Kind kind = Kind::Skip;
    QString detail;                               // why it is skipped
    DeliveryState end = DeliveryState::Cancelled; // of End
    std::optional<Milliseconds> lifetime;         // of Schedule and Edit: a new expiry, from its due time
};

// A stored operation as the planner reads it.
struct StoredOperation
{
    QString verb;
    QString filter;
    QByteArray parameters;
    qint64 rate = 0;
    Timestamp now; // the database's clock
};

// An operation as the rules see it.
struct OperationPlan
{
    enum class Kind {
        Rows,   // moves deliveries
        Events, // gives rejected events new tries
        Control // changes what engines heed, at once
    };
    Kind kind = Kind::Rows;
    bool givesBack = false; // rows will be sent again: their outcomes are counted
    qint64 perSecond = 0;   // Schedule and Edit spread the rows' due times at this rate, 1…1000; 0: all now
    Filter filter;
    OperationParameters parameters;
    QByteArray hashKey; // of edited addresses
    std::function<RowChange(const OperationRow &)> change;
};
// Invalid ends the operation as failed, with the message.
using PlanOperation = std::function<Result<OperationPlan>(const StoredOperation &)>;

struct BatchCount
{
    int looked = 0; // rows met; at least 1 where it went on without meeting one
    int changed = 0;
    bool wasTaken = false; // false: somebody else has the operation, or it may not go on now
};

// Operations that may have something to do now, those that act at once before the others, then the oldest first.
Result<std::vector<qint64>> openOperations(Database &database);
// One batch of one operation in one transaction: items, changes, progress and cursor commit together, so that an
// engine that dies leaves nothing half done and nothing is done twice.
Result<BatchCount> runOperationBatch(Database &database, qint64 id, const QString &holder, int limit,
                                     const PlanOperation &plan);
// Ends an operation whose batch can't be stored.
Result<void> failOperation(Database &database, qint64 id, const QString &detail);
// Until an operation may have work again (0: now), nothing where none is open.
Result<std::optional<Milliseconds>> untilNextOperation(Database &database);

} // namespace sendoff::store
