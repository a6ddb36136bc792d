#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include <functional>

namespace sendoff::admin {

// A person's command, before it is stored.
struct OperationRequest
{
    QString verb;  // "retry", "cancel", "discard", "retry_event"
    Filter filter; // ids stand in it as "id:…"; never empty
    QString reason;
    QString actor;
    Milliseconds armed{10'000}; // time to undo; 0: at once
    QString dedupe;             // the same text again answers the first operation; empty: none
    int rate = 0;               // retried rows due a second, 1…1000; 0: 500
};

// Everything that command line and screens may ask of a store; blocking, one database connection, one thread.
// The UI calls it through ConsoleWorker (ui/), the command line directly; tests of the UI use a fake.
class Console
{
public:
    Console() = default;
    Console(const Console &) = delete;
    Console &operator=(const Console &) = delete;
    virtual ~Console() = default;

    virtual Result<StatusRecord> status() = 0;
    // Newest first by (createdAt, id). `after` is a page's cursor, empty for the first page; limit 1…1000.
    virtual Result<DeliveryPage> deliveries(const Filter &filter, const QString &after, int limit) = 0;
    // Matching rows, stops at countCap.
    virtual Result<qint64> count(const Filter &filter) = 0;
    virtual Result<DeliveryStory> story(const DeliveryId &id) = 0; // NotFound
    virtual Result<EventStory> eventStory(const EventId &id) = 0;  // NotFound
    // Events newest first; only the fields event, type, tenant, state (pending relayed rejected) and age apply.
    virtual Result<std::vector<EventRecord>> events(const Filter &filter, qint64 beforeSequence, int limit) = 0;

    virtual Result<PreviewRecord> preview(const OperationRequest &request) = 0;
    // Stores the operation, armed. Nothing matched: NotFound; none of them may be changed by the verb: Refused, with
    // the first reason. Nothing is stored then.
    virtual Result<OperationRecord> submit(const OperationRequest &request) = 0;
    // Takes an armed operation back. Refused once it runs.
    virtual Result<OperationRecord> undo(qint64 operation) = 0;
    virtual Result<OperationRecord> stop(qint64 operation) = 0;
    virtual Result<OperationRecord> operation(qint64 id) = 0;
    virtual Result<std::vector<OperationItemRecord>> operationItems(qint64 id, int limit) = 0;
    virtual Result<std::vector<OperationRecord>> operations(int limit) = 0;
};

} // namespace sendoff::admin
