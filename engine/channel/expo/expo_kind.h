#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Push notifications through Expo.
const ProviderKind &expoKind();

} // namespace sendoff::channel
