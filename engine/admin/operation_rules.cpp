#include "admin/operation_rules.h"

#include "domain/catalogue.h"

#include <algorithm>

namespace sendoff::admin {

namespace {

using store::OperationRow;
using store::RowChange;

const QString rejectedEvents = QStringLiteral("state:rejected");
constexpr Milliseconds minRenewedLifetime{3'600'000};

RowChange skip(const QString &why)
{
    RowChange change;
    change.detail = why;
    return change;
}

RowChange schedule(const OperationRow &row)
{
    RowChange change;
    change.kind = RowChange::Kind::Schedule;
    if (row.isExpired)
        change.lifetime = std::max(row.lifetime, minRenewedLifetime);
    return change;
}

RowChange end(DeliveryState state)
{
    RowChange change;
    change.kind = RowChange::Kind::End;
    change.end = state;
    return change;
}

RowChange changeForRetry(const OperationRow &row)
{
    if (row.state == DeliveryState::Leased)
        return skip(QStringLiteral("it is being sent now"));
    if (row.state == DeliveryState::Scheduled || row.state == DeliveryState::Ready)
        return skip(QStringLiteral("it waits for its next attempt already"));
    if (!isRetryable(row.state))
        return skip(QStringLiteral("it is %1, which is final").arg(toText(row.state)));
    if (row.hasSecret && row.secretGone)
        return skip(QStringLiteral("its secret was scrubbed"));
    if (row.contentGone)
        return skip(QStringLiteral("its content was removed"));
    if (row.isExpired && row.hasSecret)
        return skip(QStringLiteral("its secret is gone: it has expired and secrets are never renewed"));
    if (row.isExpired && row.category == securityCategory)
        return skip(QStringLiteral("it has expired, and security messages are never renewed"));
    // What the relay could not address, a new attempt can't either; a row without a provider would pass for the inbox.
    const bool isInbox = row.channel == QString(toText(Channel::Inbox));
    if (!isInbox && !row.hasAddress)
        return skip(QStringLiteral("it has no address; add a contact and emit the event again"));
    if (!isInbox && row.provider.isEmpty())
        return skip(QStringLiteral("no provider carried its channel; configure one and emit the event again"));
    return schedule(row);
}

RowChange changeForCancel(const OperationRow &row)
{
    if (row.state == DeliveryState::Leased)
        return skip(QStringLiteral("it is being sent now"));
    if (!isLive(row.state))
        return skip(QStringLiteral("it has ended already (%1)").arg(toText(row.state)));
    return end(DeliveryState::Cancelled);
}

RowChange changeForDiscard(const OperationRow &row)
{
    switch (row.state) {
    case DeliveryState::Dead:
    case DeliveryState::Unknown:
    case DeliveryState::Bounced:
    case DeliveryState::Held:
        return end(DeliveryState::Discarded);
    case DeliveryState::Leased:
        return skip(QStringLiteral("it is being sent now"));
    case DeliveryState::Scheduled:
    case DeliveryState::Ready:
        return skip(QStringLiteral("it still waits to be sent; cancel it instead"));
    default:
        return skip(
            QStringLiteral("it is %1; only dead, unknown, bounced and held ones are discarded").arg(toText(row.state)));
    }
}

} // namespace

std::optional<Verb> verbFromText(const QString &text)
{
    if (text == QLatin1String("retry"))
        return Verb::Retry;
    if (text == QLatin1String("cancel"))
        return Verb::Cancel;
    if (text == QLatin1String("discard"))
        return Verb::Discard;
    if (text == QLatin1String("retry_event"))
        return Verb::RetryEvent;
    return std::nullopt;
}

Error unknownVerb()
{
    return {ErrorCode::Invalid, QStringLiteral("unknown operation; use one of: retry, cancel, discard, retry_event")};
}

RowChange changeFor(Verb verb, const OperationRow &row)
{
    switch (verb) {
    case Verb::Retry:
        return changeForRetry(row);
    case Verb::Cancel:
        return changeForCancel(row);
    case Verb::Discard:
        return changeForDiscard(row);
    case Verb::RetryEvent:
        break;
    }
    return skip(QStringLiteral("this operation changes events only"));
}

Filter effectiveFilter(Verb verb, const Filter &filter)
{
    Filter effective;
    std::copy_if(filter.terms.cbegin(), filter.terms.cend(), std::back_inserter(effective.terms),
                 [&](const FilterTerm &term) {
                     return !(verb == Verb::RetryEvent && term.field == QLatin1String("state") &&
                              term.values == QStringList{QString(toText(EventState::Rejected))});
                 });
    return effective;
}

QString storedFilter(Verb verb, const Filter &filter)
{
    const Filter effective = effectiveFilter(verb, filter);
    return verb == Verb::RetryEvent && effective.isEmpty() ? rejectedEvents : effective.toText();
}

Result<store::OperationPlan> planOperation(const QString &verb, const QString &filter, qint64 rate)
{
    const std::optional<Verb> known = verbFromText(verb);
    if (!known)
        return unknownVerb();
    store::OperationPlan plan;
    plan.ofEvents = *known == Verb::RetryEvent;
    plan.perSecond = rate > 0 ? std::min(rate, maxRate) : defaultRate;
    plan.change = [chosen = *known](const OperationRow &row) { return changeFor(chosen, row); };
    if (plan.ofEvents && filter == rejectedEvents)
        return plan;
    Result<Filter> parsed = Filter::parse(filter);
    if (!parsed)
        return parsed.error();
    if (parsed->isEmpty())
        return Error{ErrorCode::Invalid,
                     QStringLiteral("an operation without a condition would change everything; it is not run")};
    plan.filter = std::move(*parsed);
    return plan;
}

} // namespace sendoff::admin
