#pragma once
#include "channel/http_sender.h"
#include "channel/http_transport.h"
#include <memory>

namespace sendoff::channel {

// The one HTTP transport, on QNetworkAccessManager. Belongs to the thread that makes it, which needs an event loop.
// Use settings that checkTransport() accepts.
std::unique_ptr<Transport> makeNetworkTransport(const TransportSettings &settings);

} // namespace sendoff::channel
