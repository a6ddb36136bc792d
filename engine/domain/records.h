#pragma once
#include "domain/clock.h"
#include "domain/delivery.h"
#include "domain/event.h"
#include "domain/operation.h"
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
    qint64 version = 0;  // moves at every change
    DeliveryId parent;   // of an edited copy: the delivery it replaced
    QString fingerprint; // the kind of its last failure, empty: none
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
    OperationParameters parameters; // an address in it is masked once the operation has ended
    qint64 watermark = 0;           // events after this sequence are not touched
    qint64 expected = 0;
    int rate = 0;           // rows given back a second; 0: the default
    int stopAtFailures = 0; // percent; 0: never stops by itself
    QString reason;
    QString actor;
    Timestamp createdAt;
    Timestamp armedUntil;
    QString state; // armed running done undone stopped failed
    bool isPaused = false;
    qint64 done = 0;        // changed
    qint64 skipped = 0;     // not changed: the items say why
    qint64 failed = 0;      // of those given back: failed again
    qint64 accepted = 0;    // of those given back: accepted by their provider
    bool isTallied = false; // failed and accepted move no more
    std::optional<Timestamp> startedAt;
    std::optional<Timestamp> endedAt;
    QString detail;
    // Rows that match its filter now and were not part of it, capped at countCap. Only where one operation is asked
    // for.
    std::optional<qint64> newSince;
};

struct OperationItemRecord
{
    DeliveryId delivery;
    QString result; // done, skipped, failed (again)
    QString detail;
    QString outcome; // the newest since the operation gave it back; empty: none yet
    Timestamp at;
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
    std::optional<double> overridePerSecond; // a person's limit that stands until overrideUntil
    std::optional<Timestamp> overrideUntil;
    qint64 inFlight = 0;
    // Of the last five minutes.
    double usedPerSecond = 0;
    qint64 attempts = 0;
    qint64 throttled = 0;
    qint64 failed = 0; // neither accepted nor throttled
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

struct PauseRecord
{
    QString kind; // "all", "channel", "lane"
    QString name; // empty for all
    QString reason;
    QString actor;
    Timestamp since;
    std::optional<Timestamp> until;
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
    std::vector<PauseRecord> pauses;   // that stand now
    qint64 openOperations = 0;         // armed or running
    qint64 publishedSet = 0;
    bool isHealthy = false;
    QString verdict; // one sentence
};
constexpr qint64 countCap = 10'001; // a list's count stops here: "10,000+"

// One page of a keyset-paged list.
struct DeliveryPage
{
    std::vector<DeliveryRecord> rows;
    QString next; // cursor of the next page, empty: this was the last
};

struct RowCount
{
    qint64 count = 0;
    bool isCapped = false; // there are at least this many: it stopped at countCap, or after a bounded number of rows
};

using CountedWords = std::vector<std::pair<QString, qint64>>; // the largest first

// What an operation would do, by a read-only query.
struct PreviewRecord
{
    qint64 count = 0;      // matching, capped at countCap
    bool isCapped = false; // every number is a lower bound: there are more rows, or not all could be looked at
    qint64 changeable = 0; // of those, the ones whose state allows the verb
    qint64 people = 0;
    qint64 expired = 0;            // past their expiry: too old to matter
    qint64 contentGone = 0;        // their secret or content is gone
    qint64 possibleDuplicates = 0; // an unresolved Unknown among their attempts
    CountedWords byChannel;
    CountedWords byProvider;
    CountedWords byCode;
    CountedWords refusals; // why rows would be skipped
    qint64 watermark = 0;
    double sparePerSecond = 0;            // what the providers' quotas leave at the moment; 0: no limit is set
    int rate = 0;                         // rows a second that it would be given
    std::optional<Milliseconds> finishes; // from its start, at that rate and within the spare quota
    std::vector<DeliveryRecord> samples;  // five
};

struct NoteRecord
{
    qint64 id = 0;
    QString text;
    QString actor;
    Timestamp at;
};

// One group of failures, as a person meets it.
struct ProblemRecord
{
    QString key;     // the grouping's value; empty: what has none ("ungrouped")
    QString filter;  // canonical text that chooses exactly these deliveries
    QString title;   // plain words: "resend refuses: rate_limit_exceeded (429)"
    QString outcome; // of a fingerprint group; empty otherwise
    QString provider;
    QString channel;
    int status = 0;
    QString code;
    QString text;       // the provider's words without what differs from row to row
    qint64 dead = 0;    // ended: dead or bounced
    qint64 unknown = 0; // ended: unknown
    qint64 failing = 0; // still tried, or held
    qint64 people = 0;  // capped at countCap
    std::optional<Timestamp> firstSeen;
    std::optional<Timestamp> lastSeen;
    QString suggestion; // one sentence
    QString verb;       // "retry", "discard" …: what the suggestion would do with one command; empty: none
    std::vector<NoteRecord> notes;
};

// One delivery of a person with the sentence that support reads out.
struct PersonDelivery
{
    DeliveryRecord delivery;
    QString verdict;
};

struct PersonEvent
{
    EventRecord event;
    std::vector<PersonDelivery> deliveries;
};

struct PersonPreference
{
    QString category;
    Channel channel = Channel::Email;
    bool isAllowed = true;
    QString setBy;
    Timestamp setAt;
};

struct PersonSuppression
{
    Channel channel = Channel::Email;
    QString addressMask;
    QString scope;
    QString scopeValue;
    QString reason;
    QString createdBy;
    Timestamp createdAt;
    std::optional<Timestamp> expiresAt;
};

struct PersonContact
{
    QString id;
    Channel channel = Channel::Email;
    QString addressMask;
    QString locale;
    QString timeZone;
    std::optional<Timestamp> disabledAt;
    QString disabledReason;
};

// Everything that support may know of one person.
struct PersonRecord
{
    QString foundBy; // "user", "address", "event", "message", "delivery"
    UserId user;     // empty where only an address is known
    std::vector<PersonContact> contacts;
    std::vector<PersonPreference> preferences;
    std::vector<PersonSuppression> suppressions;
    std::vector<PersonEvent> events; // newest first
    bool hasMore = false;            // older events are not listed
    std::vector<NoteRecord> notes;
};

// How many deliveries come due in each minute from `from` on, if nothing changes.
struct ForecastRecord
{
    Timestamp from;
    qint64 waitingNow = 0;             // ready
    std::vector<qint64> dueByMinute;   // scheduled, one number a minute
    std::vector<qint64> retryByMinute; // of those, the ones that failed before
    qint64 later = 0;                  // scheduled after the last minute, capped at countCap
};

// What happened within one step of time.
struct ActivityPoint
{
    Timestamp start;
    QString provider; // empty: the inbox
    Channel channel = Channel::Email;
    Lane lane = Lane::Normal;
    bool isEnd = false; // word is the state a delivery ended in; otherwise an attempt's outcome
    QString word;
    qint64 count = 0;
    Milliseconds duration{0}; // of attempts, summed
};

struct AuditRecord
{
    qint64 id = 0;
    Timestamp at;
    QString actor;
    QString action;
    QString object;
    QString detail;
    QString hash;
};

// One answered reveal: the only record that holds contact data in clear. Never stored, never logged.
struct RevealedRecord
{
    QString address;
    QByteArray payload;
};

// What the login of a connection may do.
struct RightsRecord
{
    QString login;
    std::optional<Role> role; // nothing: may not even look
    bool isEnforced = false;  // by the database; false on SQLite, where whoever owns the file may do everything
};

} // namespace sendoff
