#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// SMS through Twilio.
const ProviderKind &twilioKind();

} // namespace sendoff::channel
