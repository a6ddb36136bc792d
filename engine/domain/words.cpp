#include "domain/words.h"

#include <array>
#include <utility>

namespace sendoff {

namespace {

template <typename Word, size_t N>
using Words = std::array<std::pair<Word, QLatin1String>, N>;

template <typename Word, size_t N>
QLatin1String textOf(const Words<Word, N> &words, Word word)
{
    for (const auto &[value, text] : words) {
        if (value == word)
            return text;
    }
    Q_UNREACHABLE();
}

template <typename Word, size_t N>
std::optional<Word> wordOf(const Words<Word, N> &words, QStringView text)
{
    for (const auto &[value, name] : words) {
        if (text == name)
            return value;
    }
    return std::nullopt;
}

using L = QLatin1String;

const Words<EventState, 3> eventStates{
    {{EventState::Pending, L("pending")}, {EventState::Relayed, L("relayed")}, {EventState::Rejected, L("rejected")}}};

const Words<DeliveryState, 14> deliveryStates{{{DeliveryState::Scheduled, L("scheduled")},
                                               {DeliveryState::Ready, L("ready")},
                                               {DeliveryState::Leased, L("leased")},
                                               {DeliveryState::Held, L("held")},
                                               {DeliveryState::Accepted, L("accepted")},
                                               {DeliveryState::Delivered, L("delivered")},
                                               {DeliveryState::Bounced, L("bounced")},
                                               {DeliveryState::Suppressed, L("suppressed")},
                                               {DeliveryState::Expired, L("expired")},
                                               {DeliveryState::Cancelled, L("cancelled")},
                                               {DeliveryState::Superseded, L("superseded")},
                                               {DeliveryState::Discarded, L("discarded")},
                                               {DeliveryState::Dead, L("dead")},
                                               {DeliveryState::Unknown, L("unknown")}}};

const Words<Reason, 26> reasons{{{Reason::None, L("none")},
                                 {Reason::Planned, L("planned")},
                                 {Reason::Retry, L("retry")},
                                 {Reason::Throttled, L("throttled")},
                                 {Reason::Configuration, L("configuration")},
                                 {Reason::QuietHours, L("quiet_hours")},
                                 {Reason::Preference, L("preference")},
                                 {Reason::AddressSuppressed, L("address_suppressed")},
                                 {Reason::NoAddress, L("no_address")},
                                 {Reason::InvalidAddress, L("invalid_address")},
                                 {Reason::NoRecipient, L("no_recipient")},
                                 {Reason::PastExpiry, L("past_expiry")},
                                 {Reason::ByPerson, L("by_person")},
                                 {Reason::ByEvent, L("by_event")},
                                 {Reason::ByEdit, L("by_edit")},
                                 {Reason::PermanentRecipient, L("permanent_recipient")},
                                 {Reason::PermanentMessage, L("permanent_message")},
                                 {Reason::AttemptsSpent, L("attempts_spent")},
                                 {Reason::WorkerLost, L("worker_lost")},
                                 {Reason::OutcomeUnknown, L("outcome_unknown")},
                                 {Reason::SecretGone, L("secret_gone")},
                                 {Reason::ContentGone, L("content_gone")},
                                 {Reason::MissingVariable, L("missing_variable")},
                                 {Reason::TemplateBroken, L("template_broken")},
                                 {Reason::ReceiptDelivered, L("receipt_delivered")},
                                 {Reason::ReceiptBounced, L("receipt_bounced")}}};

const Words<Lane, 3> lanes{{{Lane::Urgent, L("urgent")}, {Lane::Normal, L("normal")}, {Lane::Bulk, L("bulk")}}};

const Words<Channel, 5> channels{{{Channel::Email, L("email")},
                                  {Channel::Sms, L("sms")},
                                  {Channel::Push, L("push")},
                                  {Channel::Inbox, L("inbox")},
                                  {Channel::Webhook, L("webhook")}}};

const Words<Outcome, 7> outcomes{{{Outcome::Accepted, L("accepted")},
                                  {Outcome::Throttled, L("throttled")},
                                  {Outcome::Transient, L("transient")},
                                  {Outcome::PermanentRecipient, L("permanent_recipient")},
                                  {Outcome::PermanentMessage, L("permanent_message")},
                                  {Outcome::Configuration, L("configuration")},
                                  {Outcome::Unknown, L("unknown")}}};

const Words<DeliverySort, 4> sorts{{{DeliverySort::Newest, L("newest")},
                                    {DeliverySort::Oldest, L("oldest")},
                                    {DeliverySort::NextDue, L("due")},
                                    {DeliverySort::LastEnded, L("ended")}}};

const Words<ProblemGrouping, 5> groupings{{{ProblemGrouping::Fingerprint, L("fingerprint")},
                                           {ProblemGrouping::Provider, L("provider")},
                                           {ProblemGrouping::EventType, L("type")},
                                           {ProblemGrouping::RecipientDomain, L("domain")},
                                           {ProblemGrouping::PublishedSet, L("set")}}};

const Words<Role, 4> roles{{{Role::Viewer, L("viewer")},
                            {Role::Support, L("support")},
                            {Role::Operator, L("operator")},
                            {Role::Admin, L("admin")}}};

} // namespace

QLatin1String toText(EventState word)
{
    return textOf(eventStates, word);
}
QLatin1String toText(DeliveryState word)
{
    return textOf(deliveryStates, word);
}
QLatin1String toText(Reason word)
{
    return textOf(reasons, word);
}
QLatin1String toText(Lane word)
{
    return textOf(lanes, word);
}
QLatin1String toText(Channel word)
{
    return textOf(channels, word);
}
QLatin1String toText(Outcome word)
{
    return textOf(outcomes, word);
}
QLatin1String toText(DeliverySort word)
{
    return textOf(sorts, word);
}
QLatin1String toText(ProblemGrouping word)
{
    return textOf(groupings, word);
}
QLatin1String toText(Role word)
{
    return textOf(roles, word);
}

template <>
std::optional<EventState> fromText<EventState>(QStringView text)
{
    return wordOf(eventStates, text);
}
template <>
std::optional<DeliveryState> fromText<DeliveryState>(QStringView text)
{
    return wordOf(deliveryStates, text);
}
template <>
std::optional<Reason> fromText<Reason>(QStringView text)
{
    return wordOf(reasons, text);
}
template <>
std::optional<Lane> fromText<Lane>(QStringView text)
{
    return wordOf(lanes, text);
}
template <>
std::optional<Channel> fromText<Channel>(QStringView text)
{
    return wordOf(channels, text);
}
template <>
std::optional<Outcome> fromText<Outcome>(QStringView text)
{
    return wordOf(outcomes, text);
}
template <>
std::optional<DeliverySort> fromText<DeliverySort>(QStringView text)
{
    return wordOf(sorts, text);
}
template <>
std::optional<ProblemGrouping> fromText<ProblemGrouping>(QStringView text)
{
    return wordOf(groupings, text);
}
template <>
std::optional<Role> fromText<Role>(QStringView text)
{
    return wordOf(roles, text);
}

bool isLive(DeliveryState state)
{
    return state == DeliveryState::Scheduled || state == DeliveryState::Ready || state == DeliveryState::Leased ||
           state == DeliveryState::Held;
}

bool isRetryable(DeliveryState state)
{
    switch (state) {
    case DeliveryState::Dead:
    case DeliveryState::Unknown:
    case DeliveryState::Held:
    case DeliveryState::Cancelled:
    case DeliveryState::Expired:
    case DeliveryState::Bounced:
    case DeliveryState::Suppressed:
        return true;
    default:
        return false;
    }
}

} // namespace sendoff
