#pragma once
#include <QLatin1String>
#include <QString>
#include <QStringView>
#include <optional>

namespace sendoff {

// The closed sets of words that C++, SQL, command line and screens share. Each has one text form, toText(),
// and fromText() reads exactly that form.

enum class EventState { Pending, Relayed, Rejected };

enum class DeliveryState {
    Scheduled,  // due later: planned, retry, quiet hours
    Ready,      // due, waits for a worker
    Leased,     // a worker has the right to make one attempt
    Held,       // waits for a person or a policy
    Accepted,   // the provider took it; this is not arrival
    Delivered,  // arrived, by the provider's word; the inbox at once
    Bounced,    // refused after acceptance
    Suppressed, // a rule forbade the send
    Expired,
    Cancelled,
    Superseded, // an edited child or a later event replaced it
    Discarded,  // by a person
    Dead,       // permanent error or budget spent: the dead-letter queue
    Unknown     // may have been sent and no automatic retry is allowed any more
};

// Why a delivery is in its state.
enum class Reason {
    None,
    Planned,
    Retry,
    Throttled,
    Configuration,
    QuietHours,
    Preference,        // the person switched it off
    AddressSuppressed, // a suppression stands for the address
    NoAddress,         // no contact for this channel
    InvalidAddress,    // the address can't be written to
    NoRecipient,       // the payload names nobody for this role
    PastExpiry,
    ByPerson,
    ByEvent, // a later event with the same supersedes key
    ByEdit,
    PermanentRecipient, // the provider refused the address for good
    PermanentMessage,   // the provider refused the content for good
    AttemptsSpent,      // the retry budget is used up
    WorkerLost,         // three workers in a row died with it
    OutcomeUnknown,
    SecretGone,  // its secret was scrubbed, it can't be rendered again
    ContentGone, // its content was removed by retention or erasure
    MissingVariable,
    TemplateBroken,
    ReceiptDelivered,
    ReceiptBounced
};

enum class Lane { Urgent, Normal, Bulk };

enum class Channel { Email, Sms, Push, Inbox, Webhook };

// What became of one request to a provider. Closed: the engine's rules cover each of them.
enum class Outcome { Accepted, Throttled, Transient, PermanentRecipient, PermanentMessage, Configuration, Unknown };

// The orders that lists are offered in; each walks an index, so that a page costs the same at any depth.
enum class DeliverySort {
    Newest, // by creation
    Oldest,
    NextDue,  // waiting rows, the next due first
    LastEnded // ended rows, the last end first
};

// What failures are grouped by.
enum class ProblemGrouping { Fingerprint, Provider, EventType, RecipientDomain, PublishedSet };

// What a person's login may do; each may all that the ones before it may.
enum class Role { Viewer, Support, Operator, Admin };

QLatin1String toText(EventState);
QLatin1String toText(DeliveryState);
QLatin1String toText(Reason);
QLatin1String toText(Lane);
QLatin1String toText(Channel);
QLatin1String toText(Outcome);
QLatin1String toText(DeliverySort);    // "newest", "oldest", "due", "ended"
QLatin1String toText(ProblemGrouping); // "fingerprint", "provider", "type", "domain", "set"
QLatin1String toText(Role);

// Specialised for each enum above.
template <typename Word>
std::optional<Word> fromText(QStringView text);
template <>
std::optional<EventState> fromText<EventState>(QStringView);
template <>
std::optional<DeliveryState> fromText<DeliveryState>(QStringView);
template <>
std::optional<Reason> fromText<Reason>(QStringView);
template <>
std::optional<Lane> fromText<Lane>(QStringView);
template <>
std::optional<Channel> fromText<Channel>(QStringView);
template <>
std::optional<Outcome> fromText<Outcome>(QStringView);
template <>
std::optional<DeliverySort> fromText<DeliverySort>(QStringView);
template <>
std::optional<ProblemGrouping> fromText<ProblemGrouping>(QStringView);
template <>
std::optional<Role> fromText<Role>(QStringView);

// Still in the hot table: scheduled, ready, leased, held.
bool isLive(DeliveryState);
// A person may send it again: dead, unknown, held, cancelled, expired, bounced, suppressed.
bool isRetryable(DeliveryState);

} // namespace sendoff
