#pragma once
#include "app/configuration.h"
#include "app/toml_table.h"

namespace sendoff::app {

// The parts of sendoff.toml that repeat for each provider. They note problems in the file they read from.

// All [providers.NAME], by channel and priority; checked against the engine's lease.
std::vector<ProviderConfiguration> readProviders(TomlTable &root, const EngineConfiguration &engine);
// A [….retry] table; nothing gives an override of nothing.
RetryOverride readRetry(std::optional<TomlTable> table);
// Whether the address can't leave this machine.
bool isLoopback(const QUrl &url);

} // namespace sendoff::app
