#pragma once
#include "domain/clock.h"
#include <QByteArray>
#include <optional>

namespace sendoff::channel {

// Reads the three date forms of HTTP (RFC 9110, 5.6.7), which Qt's parsers don't: "Thu, 01 Jan 2026 00:01:30 GMT",
// "Thursday, 01-Jan-26 00:01:30 GMT" (two digits: at most 50 years ahead of `now`), "Thu Jan  1 00:01:30 2026".
// Nothing where the text is not one of them.
std::optional<Timestamp> parseHttpDate(const QByteArray &text, Timestamp now);

} // namespace sendoff::channel
