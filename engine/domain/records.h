#pragma once
#include "domain/clock.h"
#include "domain/delivery.h"
#include "domain/event.h"
#include "domain/words.h"
#include <QString>
#include <optional>
#include <vector>

namespace sendoff {

// What people see of the store, as plain values: addresses are masked, secrets never in them. Shared by the queries
// of admin, the command line and the screens. Times are the database's clock, UTC.

struct DeliveryRecord
{
    DeliveryId id;
    EventId event;
    QString type;
    QString tenant;
    Channel channel = Channel::Email;
    QString provider;
    Lane lane = Lane::Normal;
    QString category;
    QString role;
    UserId user;
    QString addressMask;
    DeliveryState state = DeliveryState::Ready;
    Reason reason = Reason::None;
    QString detail;
    int revision = 0;
    int attempts = 0;
    int failures = 0;
    int claims = 0;
    bool hasUnknown = false;
    bool possibleDuplicate = false;
    QString lastOutcome; // empty before the first attempt
    QString lastCode;
    int lastStatus = 0;
    QString providerMessageId;
    Timestamp createdAt;
    Timestamp dueAt;
    Timestamp expiresAt;
    std::optional<Timestamp> acceptedAt;
    std::optional<Timestamp> endedAt;
    QString leaseHolder;
    std::optional<Timestamp> leaseUntil;
    qint64 version = 0; // moves at every change
};

struct AttemptRecord
{
    int number = 0;
    QString engine;
    QString provider;
    Timestamp startedAt;
    Timestamp endedAt;
    QString outcome;
    int status = 0;
    QString code;
    QString text;
    std::optional<Milliseconds> wait;      // asked for by the provider
    std::optional<Milliseconds> nextDelay; // chosen by the retry policy
    bool possibleDuplicate = false;
    QString providerMessageId;
};

struct ReceiptRecord
{
    QString kind;
    QString provider;
    QString source;
    QString detail;
    std::optional<Timestamp> occurredAt;
    Timestamp arrivedAt;
};

struct EventRecord
{
    EventId id;
    qint64 sequence = 0;
    QString type;
    QString tenant;
    EventState state = EventState::Pending;
    QString reason;
    int tries = 0;
    int folded = 0;
    QString supersedesKey;
    Timestamp occurredAt;
    Timestamp availableAt;
    std::optional<Timestamp> expiresAt;
    Timestamp recordedAt;
    std::optional<Timestamp> relayedAt;
    std::optional<Timestamp> scrubbedAt;
};

struct OperationRecord
{
    qint64 id = 0;
    QString verb;
    QString filter;
    qint64 expected = 0;
    QString reason;
    QString actor;
    Timestamp createdAt;
    Timestamp armedUntil;
    QString state; // armed running done undone stopped failed
    qint64 done = 0;
    qint64 skipped = 0;
    qint64 failed = 0;
    std::optional<Timestamp> endedAt;
    QString detail;
};

struct OperationItemRecord
{
    DeliveryId delivery;
    QString result; // done skipped failed
    QString detail;
};

// One delivery with all that happened to it.
struct DeliveryStory
{
    DeliveryRecord delivery;
    EventRecord event;
    std::vector<AttemptRecord> attempts; // in order
    std::vector<ReceiptRecord> receipts;
    std::vector<OperationRecord> operations; // that touched it
};

struct EventStory
{
    EventRecord event;
    std::vector<DeliveryStory> deliveries;
};

struct EngineRecord
{
    QString id;
    QString name;
    QString host;
    qint64 pid = 0;
    QString version;
    Timestamp startedAt;
    Timestamp heartbeatAt;
    bool isAlive = false; // heartbeat younger than 60 s and not stopped
    Milliseconds skew{0};
    int inFlight = 0;
};

struct ProviderRecord
{
    QString name;
    QString kind;
    Channel channel = Channel::Email;
    double limitPerSecond = 0; // 0: none
    bool paused = false;
    QString pauseReason;
    std::optional<Timestamp> pausedUntil;
    std::optional<Timestamp> throttledUntil;
    QString breaker;
    QString breakerReason;
    std::optional<Timestamp> breakerUntil;
};

// A queue that somebody waits in.
struct BacklogRecord
{
    QString provider; // empty: the inbox
    Channel channel = Channel::Email;
    Lane lane = Lane::Normal;
    qint64 waiting = 0;   // ready
    qint64 scheduled = 0; // due later
    qint64 inFlight = 0;  // leased
    qint64 held = 0;
    std::optional<Milliseconds> oldestAge; // of the oldest ready row, since it was due
};

struct StatusRecord
{
    Timestamp now; // database's clock
    qint64 pendingEvents = 0;
    std::optional<Milliseconds> oldestPendingAge;
    qint64 rejectedEvents = 0;
    std::vector<BacklogRecord> backlog;
    qint64 dead = 0;    // capped at countCap
    qint64 unknown = 0; // capped at countCap
    std::vector<ProviderRecord> providers;
    std::vector<EngineRecord> engines; // alive or stopped within the last hour
    qint64 publishedSet = 0;
    bool isHealthy = false;
    QString verdict; // one sentence
};
constexpr qint64 countCap = 10'001; // a list's count stops here: "10,000+"

// One page of a keyset-paged list, newest first.
struct DeliveryPage
{
    std::vector<DeliveryRecord> rows;
    QString next; // cursor of the next page, empty: this was the last
};

// What an operation would do, by a read-only query.
struct PreviewRecord
{
    qint64 count = 0;      // matching, capped at countCap
    qint64 changeable = 0; // of those, the ones whose state allows the verb
    qint64 people = 0;
    qint64 expired = 0;            // past their expiry
    qint64 contentGone = 0;        // their secret or content is gone
    qint64 possibleDuplicates = 0; // an unresolved Unknown among their attempts
    std::vector<std::pair<QString, qint64>> byChannel;
    std::vector<std::pair<QString, qint64>> byCode;
    qint64 watermark = 0;
    std::vector<DeliveryRecord> samples; // five
};

} // namespace sendoff
