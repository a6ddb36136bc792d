#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Push notifications through Firebase Cloud Messaging, HTTP v1. api_key is the content of a service account file.
const ProviderKind &fcmKind();

} // namespace sendoff::channel
