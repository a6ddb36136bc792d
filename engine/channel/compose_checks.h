#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// What no kind can send: a message for another channel, no address, control characters in a one-line text.
Result<void> checkComposition(Channel channel, const RenderedMessage &message, const QString &address);

// The base address with a path appended, whatever slashes either of them has.
QUrl endpoint(const QUrl &base, const QString &path);

QByteArray userAgent();

} // namespace sendoff::channel
