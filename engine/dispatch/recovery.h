#pragma once
#include "dispatch/engine.h"
#include "domain/settlement.h"

namespace sendoff::dispatch {

// Which recovery rules hold for a delivery: the provider's override, else the lane's, else the engine's.
RecoveryRules recoveryRules(const EngineSettings &settings, const QString &provider, Lane lane);
const ProviderRules *providerRules(const EngineSettings &settings, const QString &provider);

} // namespace sendoff::dispatch
