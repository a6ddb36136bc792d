#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// A provider that is described by its configuration alone, kind "http": see README.md for the options. It carries the
// channel that the configuration names.
const ProviderKind &genericKind();

// How long the provider so described remembers a key: options idempotency_header and idempotency_window, 0 without
// them. The kind's own window is 0.
Milliseconds genericIdempotencyWindow(const ProviderSettings &provider);

} // namespace sendoff::channel
