#pragma once
#include "app/cli/output.h"
#include "domain/records.h"

namespace sendoff::app {

// One screen of the state of things, 80 columns wide.
void printStatus(Output &out, const StatusRecord &status);

// What hinders a provider, in one word: "ok", "throttled", "open", "half open", "paused".
QString providerState(const ProviderRecord &provider);
// Why and until when; empty for "ok".
QString providerDetail(const ProviderRecord &provider);
// "5/s", "2/s until …" under a person's limit; empty: none.
QString limitText(const ProviderRecord &provider);
// The table of all providers.
void printProviders(Output &out, const std::vector<ProviderRecord> &providers);

} // namespace sendoff::app
