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
Result<OperationRecord> operationById(Database &database, qint64 id);                 // NotFound
Result<OperationRecord> operationByDedupe(Database &database, const QString &dedupe); // NotFound
// Newest first; limit 1…1000.
Result<std::vector<OperationRecord>> listOperations(Database &database, int limit);
// What became of each row, newest first; limit 1…100000. `result` done, skipped or failed; empty: all.
Result<std::vector<OperationItemRecord>> operationItems(Database &database, qint64 id, const QString &result,
                                                        int limit);

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
    QString recipient;
    QString code; // of the last attempt
    bool hasAddress = false;
    bool hasSecret = false;
    bool hasUnknown = false;
    bool isExpired = false;
    Milliseconds lifetime{0}; // from creation to its expiry
    bool secretGone = false;  // the event's secrets were scrubbed
    bool contentGone = false; // its own or the event's content was removed, or the event itself
};

// What one operation would meet: at most `limit` rows, all of one moment.
struct OperationScope
{
    qint64 watermark = 0; // the newest event
    std::vector<OperationRow> rows;
};
Result<OperationScope> operationScope(Database &database, const Filter &filter, int limit);
struct EventScope
{
    qint64 watermark = 0;
    qint64 count = 0; // rejected events, capped at `limit`
};
Result<EventScope> rejectedEventScope(Database &database, const Filter &filter, int limit);

// What a rule answers for one row.
struct RowChange
{
    enum class Kind { Skip, Schedule, End };
    Kind kind = Kind::Skip;
    QString detail;                               // why it is skipped
    DeliveryState end = DeliveryState::Cancelled; // of End
    std::optional<Milliseconds> lifetime;         // of Schedule: a new expiry, from now
};

// An operation as the rules see it.
struct OperationPlan
{
    bool ofEvents = false; // gives rejected events new tries instead of moving deliveries
    qint64 perSecond = 0;  // Schedule spreads the rows' due times at this rate, 1…1000; 0: all now
    Filter filter;
    std::function<RowChange(const OperationRow &)> change;
};
// Invalid ends the operation as failed, with the message.
using PlanOperation = std::function<Result<OperationPlan>(const QString &verb, const QString &filter, qint64 rate)>;

struct BatchCount
{
    int looked = 0;
    int changed = 0;
    bool wasTaken = false; // false: somebody else has the operation, or it may not go on now
};

// Operations that may have something to do now, oldest first.
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
