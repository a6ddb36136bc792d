#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Email through Postmark.
const ProviderKind &postmarkKind();

} // namespace sendoff::channel
