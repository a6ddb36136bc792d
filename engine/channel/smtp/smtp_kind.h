#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Email through an SMTP server that takes submissions.
const ProviderKind &smtpKind();

} // namespace sendoff::channel
