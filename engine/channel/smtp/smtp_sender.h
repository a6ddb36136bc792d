#pragma once
#include "channel/http_sender.h"

namespace sendoff::channel {

// The Sender over SMTP (README.md has its facts): one item is one transaction with one recipient, on connections of its
// own thread that are kept for the next mail. `timeout` of the provider counts from send(), waiting for a free
// connection included. Of the settings it uses proxy and certificates. Owns its thread.
std::unique_ptr<Sender> makeSmtpSender(const TransportSettings &settings);

} // namespace sendoff::channel
