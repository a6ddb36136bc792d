#include "dispatch/recovery.h"

namespace sendoff::dispatch {

const ProviderRules *providerRules(const EngineSettings &settings, const QString &provider)
{
    for (const ProviderRules &rules : settings.providers) {
        if (rules.settings.name == provider)
            return &rules;
    }
    return nullptr;
}

RecoveryRules recoveryRules(const EngineSettings &settings, const QString &provider, Lane lane)
{
    RecoveryRules rules;
    rules.retry = settings.retry;
    const auto laneRules = settings.lanes.constFind(lane);
    if (laneRules != settings.lanes.constEnd()) {
        rules.onUnknown = laneRules->onUnknown;
        rules.retry = laneRules->retry.value_or(rules.retry);
    } else if (lane == Lane::Bulk) {
        rules.onUnknown = OnUnknown::Hold;
    }
    if (const ProviderRules *own = providerRules(settings, provider)) {
        rules.retry = own->retry.value_or(rules.retry);
        if (const channel::ProviderKind *kind = channel::providerKind(own->settings.kind))
            rules.idempotencyWindow = channel::idempotencyWindow(*kind, own->settings);
    }
    return rules;
}

} // namespace sendoff::dispatch
