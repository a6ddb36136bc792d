#include "app/cli/verdict.h"

#include "app/cli/table.h"

#include <QMap>

namespace sendoff::app {

namespace {

QString providerOf(const DeliveryRecord &delivery)
{
    return delivery.provider.isEmpty() ? QStringLiteral("the provider") : delivery.provider;
}

// "resource_missing (HTTP 404)" where something of it is known.
QString lastAnswer(const DeliveryRecord &delivery)
{
    QStringList parts;
    if (!delivery.lastCode.isEmpty())
        parts += delivery.lastCode;
    if (delivery.lastStatus != 0)
        parts += QStringLiteral("status %1").arg(delivery.lastStatus);
    return parts.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(parts.join(QLatin1String(", ")));
}

QString waiting(const DeliveryRecord &delivery)
{
    if (delivery.attempts == 0)
        return QStringLiteral("Not sent yet; due %1.").arg(toRfc3339(delivery.dueAt));
    return QStringLiteral("Tried %1, last answer %2%3; next try %4.")
        .arg(counted(delivery.attempts, QStringLiteral("time"), QStringLiteral("times")), delivery.lastOutcome,
             lastAnswer(delivery), toRfc3339(delivery.dueAt));
}

QString accepted(const DeliveryRecord &delivery)
{
    const QString when =
        delivery.acceptedAt ? QStringLiteral(" at %1").arg(toRfc3339(*delivery.acceptedAt)) : QString();
    return QStringLiteral("Accepted by %1%2; whether it arrived is not known yet.").arg(providerOf(delivery), when);
}

QString ended(const DeliveryRecord &delivery, const QString &how)
{
    const QString why = delivery.detail.isEmpty() ? QString(toText(delivery.reason)) : delivery.detail;
    return how +
           (why.isEmpty() || delivery.reason == Reason::None ? QStringLiteral(".") : QStringLiteral(": %1.").arg(why))
               .replace(QLatin1String(".."), QLatin1String("."));
}

} // namespace

QString verdictOf(const DeliveryRecord &delivery)
{
    switch (delivery.state) {
    case DeliveryState::Scheduled:
    case DeliveryState::Ready:
        return waiting(delivery);
    case DeliveryState::Leased:
        return QStringLiteral("An engine is sending it now.");
    case DeliveryState::Held:
        return ended(delivery, QStringLiteral("Held until a person decides"));
    case DeliveryState::Accepted:
        return accepted(delivery);
    case DeliveryState::Delivered:
        return delivery.channel == Channel::Inbox
                   ? QStringLiteral("In the person's inbox.")
                   : QStringLiteral("Delivered, by the word of %1.").arg(providerOf(delivery));
    case DeliveryState::Bounced:
        return QStringLiteral("Accepted by %1 and bounced afterwards%2.")
            .arg(providerOf(delivery), lastAnswer(delivery));
    case DeliveryState::Suppressed:
        return ended(delivery, QStringLiteral("Not sent, a rule forbade it"));
    case DeliveryState::Expired:
        return QStringLiteral("Not sent in time; it expired at %1.").arg(toRfc3339(delivery.expiresAt));
    case DeliveryState::Cancelled:
        return ended(delivery, QStringLiteral("Cancelled before it was sent"));
    case DeliveryState::Superseded:
        return ended(delivery, QStringLiteral("Replaced by a later one"));
    case DeliveryState::Discarded:
        return QStringLiteral("Discarded by a person.");
    case DeliveryState::Dead:
        return ended(delivery,
                     QStringLiteral("Given up after %1%2")
                         .arg(counted(delivery.attempts, QStringLiteral("attempt"), QStringLiteral("attempts")),
                              lastAnswer(delivery)));
    case DeliveryState::Unknown:
        return QStringLiteral(
            "It may have been sent: the outcome of an attempt is not known, so it is not sent again by itself.");
    }
    return {};
}

QString verdictOf(const EventStory &story)
{
    switch (story.event.state) {
    case EventState::Pending:
        return QStringLiteral("Waits for an engine to turn it into deliveries.");
    case EventState::Rejected:
        return QStringLiteral("Rejected: %1").arg(story.event.reason);
    case EventState::Relayed:
        break;
    }
    if (story.deliveries.empty())
        return QStringLiteral("Relayed; nobody was to hear of it.");
    QMap<QString, int> states;
    for (const DeliveryStory &each : story.deliveries)
        ++states[toText(each.delivery.state)];
    QStringList parts;
    for (auto state = states.cbegin(); state != states.cend(); ++state)
        parts += QStringLiteral("%1 %2").arg(state.value()).arg(state.key());
    return QStringLiteral("%1: %2.").arg(
        counted(qint64(story.deliveries.size()), QStringLiteral("delivery"), QStringLiteral("deliveries")),
        parts.join(QLatin1String(", ")));
}

} // namespace sendoff::app
