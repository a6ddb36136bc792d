#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Email through Resend.
const ProviderKind &resendKind();

} // namespace sendoff::channel
