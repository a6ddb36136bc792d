#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include <functional>

namespace sendoff::admin {

// A person's command, before it is stored. Verbs of rows choose them by the filter: retry, edit, cancel, discard,
// reschedule, retry_event. The others name their target in the parameters: pause, resume (provider lane channel all),
// quota and reset (provider), note; they take effect at once, so `armed` does not count for them.
struct OperationRequest
{
    QString verb;
    Filter filter; // ids stand in it as "id:…"; never empty for verbs of rows
    OperationParameters parameters;
    QString reason;
    QString actor;              // on PostgreSQL the database's login counts instead
    Milliseconds armed{10'000}; // time to undo; 0: at once
    QString dedupe;             // the same text again answers the first operation; empty: none
    int rate = 0;               // rows given back a second, 1…1000; 0: what the spare quota allows
    int stopAtFailures = 0;     // stops by itself when more than this percentage fails again; 0: never
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
    // `after` is a page's cursor, empty for the first page; limit 1…1000. A page may hold fewer rows, even none, and
    // still have a next one: a page looks at a bounded number of rows, so that a rare match keeps nobody waiting.
    virtual Result<DeliveryPage> deliveries(const Filter &filter, DeliverySort sort, const QString &after,
                                            int limit) = 0;
    // Matching rows, stops at countCap.
    virtual Result<RowCount> count(const Filter &filter) = 0;
    virtual Result<DeliveryStory> story(const DeliveryId &id) = 0; // NotFound
    virtual Result<EventStory> eventStory(const EventId &id) = 0;  // NotFound
    // Events newest first; only the fields event, type, tenant, state (pending relayed rejected) and age apply.
    virtual Result<std::vector<EventRecord>> events(const Filter &filter, qint64 beforeSequence, int limit) = 0;

    virtual Result<PreviewRecord> preview(const OperationRequest &request) = 0;
    // Stores the operation, armed. Nothing matched: NotFound; none of them may be changed by the verb: Refused, with
    // the first reason; the login has no right to the verb: Refused, naming role and login. Nothing is stored then.
    virtual Result<OperationRecord> submit(const OperationRequest &request) = 0;
    // Takes an armed operation back. Refused once it runs.
    virtual Result<OperationRecord> undo(qint64 operation) = 0;
    virtual Result<OperationRecord> stop(qint64 operation) = 0;
    // A paused operation keeps its place and goes on when resumed.
    virtual Result<OperationRecord> pauseOperation(qint64 operation, bool paused) = 0;
    virtual Result<OperationRecord> setOperationRate(qint64 operation, int rate) = 0; // 1…1000
    virtual Result<OperationRecord> operation(qint64 id) = 0;
    // `result` done, skipped or failed; empty: all. Newest first.
    virtual Result<std::vector<OperationItemRecord>> operationItems(qint64 id, const QString &result, int limit) = 0;
    virtual Result<std::vector<OperationRecord>> operations(int limit) = 0;

    // What is dead, unknown, bounced or failing, in groups, the largest first; limit 1…1000.
    virtual Result<std::vector<ProblemRecord>> problems(ProblemGrouping grouping, const Filter &filter, int limit) = 0;
    // One person by user id, address, phone, event id, provider message id or delivery id. NotFound.
    virtual Result<PersonRecord> person(const QString &query, int limit) = 0;
    virtual Result<ForecastRecord> forecast(int minutes) = 0; // 1…1440
    // Sums of each `step` (whole minutes, at most 600 steps) from `from` to `to`.
    virtual Result<std::vector<ActivityPoint>> activity(Timestamp from, Timestamp to, Milliseconds step) = 0;
    virtual Result<std::vector<NoteRecord>> notes(const QString &kind, const QString &object) = 0;

    virtual Result<RightsRecord> rights() = 0;
    // Address and payload in clear: a stored, audited request first, its answer in a transaction of its own.
    virtual Result<RevealedRecord> reveal(const DeliveryId &id, const QString &reason) = 0;
    // What people did, newest first; `beforeId` 0: from the newest.
    virtual Result<std::vector<AuditRecord>> audit(qint64 beforeId, int limit) = 0;
};

} // namespace sendoff::admin
