#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include <QByteArray>
#include <QString>
#include <optional>
#include <string>

namespace sendoff::app {

// What people write after a flag, read in one way by all commands. `flag` is named in the error, which is Invalid and
// holds the remedy. Pure, except where a file is read.

Error invalid(const QString &message);

// "15m", "1h": longer than nothing.
Result<Milliseconds> readDuration(const QString &flag, const std::string &text);
// An RFC 3339 time, or "+15m" from this computer's now; nothing for an empty text.
Result<std::optional<Timestamp>> readTime(const QString &flag, const std::string &text);
// "5/s" or "5": whole rows a second, 1…1000.
Result<int> readRate(const QString &flag, const std::string &text);
// "2.5/s" or "2.5": more than nothing, at most a million.
Result<double> readPerSecond(const QString &flag, const std::string &text);
// "20%" or "20": 1…100.
Result<int> readPercent(const QString &flag, const std::string &text);

// A file, "-" for standard input. One byte more than `limit` is read at the most, so that a caller can refuse it.
Result<QByteArray> readFile(const QString &flag, const QString &from, qint64 limit);

// The word as a shell reads it back: quoted where it must be.
QString shellQuoted(const QString &word);

} // namespace sendoff::app
