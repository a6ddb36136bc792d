#pragma once
#include "channel/http_transport.h"

namespace sendoff::channel {

// Why a request must not go out, empty where it may. QNetworkRequest writes names and values as they are, so that a
// line break in one is a header of somebody else's making. Names no value: values hold secrets.
QString requestProblem(const HttpRequest &request);

} // namespace sendoff::channel
