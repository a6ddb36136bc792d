#pragma once
#include "channel/http_sender.h"

namespace sendoff::channel {

// The Sender for every kind: what goes over HTTP to makeHttpSender()'s, what goes over SMTP to makeSmtpSender()'s, each
// on its own thread. An unknown kind ends as Configuration. Owns both.
std::unique_ptr<Sender> makeSender(const TransportSettings &settings);

} // namespace sendoff::channel
