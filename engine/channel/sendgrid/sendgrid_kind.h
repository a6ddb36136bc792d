#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Email through Twilio SendGrid.
const ProviderKind &sendgridKind();

} // namespace sendoff::channel
