#include "admin/operation_rules.h"

#include "domain/catalogue.h"
#include "domain/json_document.h"
#include "domain/payload_edit.h"
#include "store/control_store.h"

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

// What can't be sent again whatever is edited, empty where it can.
QString goneFor(const OperationRow &row)
{
    if (row.hasSecret && row.secretGone)
        return QStringLiteral("its secret was scrubbed");
    if (row.contentGone)
        return QStringLiteral("its content was removed");
    if (row.isExpired && row.hasSecret)
        return QStringLiteral("its secret is gone: it has expired and secrets are never renewed");
    if (row.isExpired && row.category == securityCategory)
        return QStringLiteral("it has expired, and security messages are never renewed");
    return {};
}

bool isInbox(const OperationRow &row)
{
    return row.channel == QString(toText(Channel::Inbox));
}

RowChange changeForRetry(const OperationRow &row)
{
    if (row.state == DeliveryState::Leased)
        return skip(QStringLiteral("it is being sent now"));
    if (row.state == DeliveryState::Scheduled || row.state == DeliveryState::Ready)
        return skip(QStringLiteral("it waits for its next attempt already"));
    if (!isRetryable(row.state))
        return skip(QStringLiteral("it is %1, which is final").arg(toText(row.state)));
    if (const QString gone = goneFor(row); !gone.isEmpty())
        return skip(gone);
    // What the relay could not address, a new attempt can't either; a row without a provider would pass for the inbox.
    if (!isInbox(row) && !row.hasAddress)
        return skip(QStringLiteral("it has no address; edit it, or add a contact and emit the event again"));
    if (!isInbox(row) && row.provider.isEmpty())
        return skip(QStringLiteral("no provider carried its channel; configure one and emit the event again"));
    RowChange change = schedule(row);
    // Its provider took it once and remembers the key: under the same one it would only repeat its old answer.
    if (row.state == DeliveryState::Bounced)
        change.kind = RowChange::Kind::Edit;
    return change;
}

RowChange changeForEdit(const OperationRow &row, const OperationParameters &parameters)
{
    if (row.state == DeliveryState::Leased)
        return skip(QStringLiteral("it is being sent now"));
    if (!isRetryable(row.state) && row.state != DeliveryState::Scheduled && row.state != DeliveryState::Ready)
        return skip(QStringLiteral("it is %1, which is final").arg(toText(row.state)));
    if (const QString gone = goneFor(row); !gone.isEmpty())
        return skip(gone);
    if (parameters.address.isEmpty() && !isInbox(row) && !row.hasAddress)
        return skip(QStringLiteral("it has no address; give one"));
    if (!parameters.address.isEmpty()) {
        const auto channel = fromText<Channel>(row.channel).value_or(Channel::Inbox);
        if (const auto written = writtenAddress(channel, parameters.address, {}); !written)
            return skip(written.error().message);
    }
    RowChange change = schedule(row);
    change.kind = RowChange::Kind::Edit;
    return change;
}

RowChange changeForReschedule(const OperationRow &row)
{
    if (row.state == DeliveryState::Leased)
        return skip(QStringLiteral("it is being sent now"));
    if (!isLive(row.state))
        return skip(QStringLiteral("it has ended already (%1)").arg(toText(row.state)));
    if (row.isExpired)
        return skip(QStringLiteral("it expires before that time"));
    RowChange change;
    change.kind = RowChange::Kind::Reschedule;
    return change;
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

Error invalid(const QString &what)
{
    return {ErrorCode::Invalid, what};
}

struct VerbName
{
    const char *text;
    Verb verb;
};
constexpr VerbName verbNames[] = {
    {"retry", Verb::Retry},
    {"edit", Verb::Edit},
    {"cancel", Verb::Cancel},
    {"discard", Verb::Discard},
    {"reschedule", Verb::Reschedule},
    {"retry_event", Verb::RetryEvent},
    {"pause", Verb::Pause},
    {"resume", Verb::Resume},
    {"quota", Verb::Quota},
    {"reset", Verb::Reset},
    {"note", Verb::Note},
};

QString textOf(Verb verb)
{
    const auto *found = std::find_if(std::begin(verbNames), std::end(verbNames),
                                     [&](const VerbName &each) { return each.verb == verb; });
    return QString::fromLatin1(found->text);
}

Result<void> checkEdit(const OperationParameters &parameters)
{
    constexpr qsizetype maxLocale = 35; // RFC 5646 §4.4.1
    if (parameters.address.isEmpty() && parameters.locale.isEmpty() && parameters.payloadPatch.isEmpty())
        return invalid(QStringLiteral("an edit needs a new address, a locale or a payload_patch"));
    const auto isWord = [](QChar each) { return each.unicode() < 0x80 && (each.isLetterOrNumber() || each == u'-'); };
    if (parameters.locale.size() > maxLocale ||
        !std::all_of(parameters.locale.cbegin(), parameters.locale.cend(), isWord))
        return invalid(QStringLiteral("locale must be a language tag such as de or pt-BR"));
    if (parameters.address.contains(QChar(0)))
        return invalid(QStringLiteral("address must not hold the character U+0000"));
    if (parameters.payloadPatch.isEmpty())
        return {};
    const auto patch = parseJson(parameters.payloadPatch);
    if (!patch || patch->kind() != JsonValue::Kind::Object) {
        return invalid(QStringLiteral("payload_patch must be a JSON object%1")
                           .arg(patch ? QString() : QStringLiteral(": ") + patch.error().message));
    }
    return {};
}

} // namespace

std::optional<Verb> verbFromText(const QString &text)
{
    for (const VerbName &each : verbNames) {
        if (text == QLatin1String(each.text))
            return each.verb;
    }
    return std::nullopt;
}

Error unknownVerb()
{
    QStringList names;
    for (const VerbName &each : verbNames)
        names += QString::fromLatin1(each.text);
    return invalid(QStringLiteral("unknown operation; use one of: %1").arg(names.join(QStringLiteral(", "))));
}

bool isControl(Verb verb)
{
    return store::isControl(textOf(verb));
}

bool isPaced(Verb verb)
{
    return verb == Verb::Retry || verb == Verb::Edit;
}

Result<void> checkParameters(Verb verb, const OperationParameters &parameters)
{
    if (isControl(verb))
        return store::checkControl({textOf(verb), parameters, {}, {}});
    if (verb == Verb::Edit)
        return checkEdit(parameters);
    if (verb == Verb::Reschedule) {
        return parameters.dueAt ? Result<void>()
                                : Result<void>(invalid(QStringLiteral("due_at must say when the rows are to be sent")));
    }
    return parameters == OperationParameters{}
               ? Result<void>()
               : Result<void>(invalid(QStringLiteral("%1 takes no parameters").arg(textOf(verb))));
}

RowChange changeFor(Verb verb, const OperationRow &row, const OperationParameters &parameters)
{
    switch (verb) {
    case Verb::Retry:
        return changeForRetry(row);
    case Verb::Edit:
        return changeForEdit(row, parameters);
    case Verb::Cancel:
        return changeForCancel(row);
    case Verb::Discard:
        return changeForDiscard(row);
    case Verb::Reschedule:
        return changeForReschedule(row);
    default:
        return skip(QStringLiteral("this operation changes no deliveries"));
    }
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

Result<store::OperationPlan> planOperation(const store::StoredOperation &stored, const QByteArray &hashKey)
{
    const std::optional<Verb> known = verbFromText(stored.verb);
    if (!known)
        return unknownVerb();
    Result<OperationParameters> parameters = operationParameters(stored.parameters);
    if (!parameters)
        return parameters.error();
    if (const Result<void> meant = checkParameters(*known, *parameters); !meant)
        return meant.error();
    store::OperationPlan plan;
    plan.parameters = std::move(*parameters);
    if (isControl(*known)) {
        plan.kind = store::OperationPlan::Kind::Control;
        return plan;
    }
    if (*known == Verb::RetryEvent)
        plan.kind = store::OperationPlan::Kind::Events;
    plan.givesBack = isPaced(*known) || *known == Verb::Reschedule;
    if (isPaced(*known))
        plan.perSecond = stored.rate > 0 ? std::min(stored.rate, maxRate) : defaultRate;
    plan.hashKey = hashKey;
    plan.change = [chosen = *known, given = plan.parameters](const OperationRow &row) {
        return changeFor(chosen, row, given);
    };
    if (*known == Verb::RetryEvent && stored.filter == rejectedEvents)
        return plan;
    Result<Filter> parsed =
        Filter::parse(stored.filter, *known == Verb::RetryEvent ? FilterRows::Events : FilterRows::Deliveries);
    if (!parsed)
        return parsed.error();
    if (parsed->isEmpty())
        return invalid(QStringLiteral("an operation without a condition would change everything; it is not run"));
    plan.filter = std::move(*parsed);
    return plan;
}

} // namespace sendoff::admin
