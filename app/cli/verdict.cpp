#include "app/cli/verdict.h"

#include "admin/delivery_verdict.h"
#include "app/cli/table.h"

#include <QMap>

namespace sendoff::app {

QString verdictOf(const DeliveryRecord &delivery)
{
    return admin::verdictOf(delivery);
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
