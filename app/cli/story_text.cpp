#include "app/cli/story_text.h"

#include "app/cli/table.h"
#include "app/cli/verdict.h"

#include <algorithm>

namespace sendoff::app {

namespace {

void field(Output &out, const QString &indent, const QString &name, const QString &value)
{
    if (!value.isEmpty())
        out.line(indent + name.leftJustified(12) + printable(value));
}

QString timeText(const std::optional<Timestamp> &time)
{
    return time ? toRfc3339(*time) : QString();
}

// One thing that happened, for a timeline that mixes attempts, receipts and operations.
struct Moment
{
    Timestamp at;
    QString text;
};

QString attemptText(const AttemptRecord &attempt)
{
    QStringList parts{QStringLiteral("attempt %1 by %2 to %3: %4")
                          .arg(attempt.number)
                          .arg(attempt.engine,
                               attempt.provider.isEmpty() ? QStringLiteral("the inbox") : attempt.provider,
                               attempt.outcome)};
    if (attempt.status != 0)
        parts += QStringLiteral("status %1").arg(attempt.status);
    if (!attempt.code.isEmpty())
        parts += attempt.code;
    if (!attempt.text.isEmpty())
        parts += u'"' + attempt.text + u'"';
    if (attempt.wait)
        parts += QStringLiteral("the provider asked to wait %1").arg(formatDuration(*attempt.wait));
    if (attempt.nextDelay)
        parts += QStringLiteral("next try after %1").arg(formatDuration(*attempt.nextDelay));
    if (attempt.possibleDuplicate)
        parts += QStringLiteral("possible duplicate");
    if (!attempt.providerMessageId.isEmpty())
        parts += QStringLiteral("message id %1").arg(attempt.providerMessageId);
    parts += QStringLiteral("took %1 ms").arg((attempt.endedAt - attempt.startedAt).count());
    return parts.join(QLatin1String(", "));
}

QString receiptText(const ReceiptRecord &receipt)
{
    QString text = QStringLiteral("receipt from %1 (%2): %3").arg(receipt.provider, receipt.source, receipt.kind);
    if (!receipt.detail.isEmpty())
        text += QStringLiteral(", %1").arg(receipt.detail);
    if (receipt.occurredAt)
        text += QStringLiteral(", happened at %1").arg(toRfc3339(*receipt.occurredAt));
    return text;
}

QString operationText(const OperationRecord &operation)
{
    QString text = QStringLiteral("operation %1: %2 by %3, %4")
                       .arg(operation.id)
                       .arg(operation.verb, operation.actor, operation.state);
    if (!operation.reason.isEmpty())
        text += QStringLiteral(", because \"%1\"").arg(operation.reason);
    return text;
}

std::vector<Moment> momentsOf(const DeliveryStory &story)
{
    const DeliveryRecord &delivery = story.delivery;
    std::vector<Moment> moments{
        {delivery.createdAt, QStringLiteral("planned by the relay, due %1").arg(toRfc3339(delivery.dueAt))}};
    // The due time moves with each retry; only before the first attempt it is that of the plan.
    if (!story.attempts.empty() || !isLive(delivery.state))
        moments.front().text = QStringLiteral("planned by the relay");
    for (const AttemptRecord &attempt : story.attempts)
        moments.push_back({attempt.startedAt, attemptText(attempt)});
    for (const ReceiptRecord &receipt : story.receipts)
        moments.push_back({receipt.arrivedAt, receiptText(receipt)});
    for (const OperationRecord &operation : story.operations)
        moments.push_back({operation.createdAt, operationText(operation)});
    if (delivery.endedAt)
        moments.push_back({*delivery.endedAt, QStringLiteral("ended: %1").arg(toText(delivery.state))});
    std::stable_sort(moments.begin(), moments.end(), [](const Moment &a, const Moment &b) { return a.at < b.at; });
    return moments;
}

void printDelivery(Output &out, const DeliveryStory &story, const QString &indent)
{
    const DeliveryRecord &delivery = story.delivery;
    const QString to = delivery.user.isEmpty() ? delivery.addressMask
                       : delivery.addressMask.isEmpty()
                           ? delivery.user.value
                           : QStringLiteral("%1 (%2)").arg(delivery.user.value, delivery.addressMask);
    out.line(indent +
             out.bold(printable(QStringLiteral("%1 to %2, %3").arg(toText(delivery.channel), to, delivery.role))) +
             QStringLiteral(": ") + out.colouredState(toText(delivery.state)));
    const QString inner = indent + QStringLiteral("  ");
    out.line(inner + printable(verdictOf(delivery)));
    field(out, inner, QStringLiteral("delivery"), delivery.id.value);
    field(out, inner, QStringLiteral("reason"),
          delivery.reason == Reason::None ? delivery.detail
          : delivery.detail.isEmpty()     ? QString(toText(delivery.reason))
                                          : QStringLiteral("%1: %2").arg(toText(delivery.reason), delivery.detail));
    field(out, inner, QStringLiteral("provider"), delivery.provider);
    field(out, inner, QStringLiteral("lane"),
          QStringLiteral("%1, category %2").arg(toText(delivery.lane), delivery.category));
    field(out, inner, QStringLiteral("expires"), toRfc3339(delivery.expiresAt));
    field(out, inner, QStringLiteral("failures"), delivery.failures ? QString::number(delivery.failures) : QString());
    field(out, inner, QStringLiteral("message id"), delivery.providerMessageId);
    if (delivery.leaseUntil)
        field(out, inner, QStringLiteral("leased by"),
              QStringLiteral("%1 until %2").arg(delivery.leaseHolder, toRfc3339(*delivery.leaseUntil)));
    if (delivery.hasUnknown)
        out.line(inner + QStringLiteral("the outcome of an attempt is not known: it may have arrived"));
    for (const Moment &moment : momentsOf(story))
        out.line(inner + toRfc3339(moment.at) + QStringLiteral("  ") + printable(moment.text));
}

void printEvent(Output &out, const EventRecord &event)
{
    out.line(out.bold(printable(QStringLiteral("event %1").arg(event.id.value))) + QStringLiteral(": ") +
             out.colouredState(toText(event.state)));
    const QString indent = QStringLiteral("  ");
    field(out, indent, QStringLiteral("type"), event.type);
    field(out, indent, QStringLiteral("tenant"), event.tenant);
    field(out, indent, QStringLiteral("occurred"), toRfc3339(event.occurredAt));
    field(out, indent, QStringLiteral("recorded"), toRfc3339(event.recordedAt));
    if (event.availableAt > event.recordedAt)
        field(out, indent, QStringLiteral("not before"), toRfc3339(event.availableAt));
    field(out, indent, QStringLiteral("expires"), timeText(event.expiresAt));
    field(out, indent, QStringLiteral("relayed"), timeText(event.relayedAt));
    field(out, indent, QStringLiteral("scrubbed"), timeText(event.scrubbedAt));
    field(out, indent, QStringLiteral("supersedes"), event.supersedesKey);
    if (event.folded > 0) {
        field(out, indent, QStringLiteral("folded"),
              counted(event.folded, QStringLiteral("recipient was listed again"),
                      QStringLiteral("recipients were listed again")));
    }
    if (event.tries > 0)
        field(out, indent, QStringLiteral("relay tries"), QString::number(event.tries));
    field(out, indent, QStringLiteral("reason"), event.reason);
}

} // namespace

void printStory(Output &out, const EventStory &story)
{
    printEvent(out, story.event);
    out.line(QStringLiteral("  ") + printable(verdictOf(story)));
    for (const DeliveryStory &delivery : story.deliveries) {
        out.line();
        printDelivery(out, delivery, QStringLiteral("  "));
    }
}

void printStory(Output &out, const DeliveryStory &story)
{
    printDelivery(out, story, QString());
    out.line();
    printEvent(out, story.event);
}

} // namespace sendoff::app
