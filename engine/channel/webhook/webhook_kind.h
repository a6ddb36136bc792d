#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// Outgoing webhooks as Standard Webhooks describes them: the address of a contact is the receiver's URL, the rendered
// text is the JSON that it gets. Many receivers share one provider, so what one of them does never stops the others.
const ProviderKind &webhookKind();

} // namespace sendoff::channel
