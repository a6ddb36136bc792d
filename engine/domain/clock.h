#pragma once
#include <QString>
#include <QStringView>
#include <chrono>
#include <optional>

namespace sendoff {

using Milliseconds = std::chrono::milliseconds;
using Timestamp = std::chrono::sys_time<Milliseconds>; // UTC, the unit of every stored time

// Time as a dependency, so that tests can move it. Threads: all members may be called from any thread.
// Due times and lease ends never come from here: they are the database's clock.
class Clock
{
public:
    Clock() = default;
    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;
    virtual ~Clock() = default;

    virtual Timestamp now() const = 0;                             // wall clock, may jump
    virtual std::chrono::steady_clock::duration ticks() const = 0; // monotonic, for time-outs
};

class SystemClock final : public Clock
{
public:
    Timestamp now() const override;
    std::chrono::steady_clock::duration ticks() const override;
};

// "2026-11-30T12:00:00.000Z": the one text form of a time in stores, JSON and logs.
QString toRfc3339(Timestamp time);
// Reads that form and every other RFC 3339 offset; nothing where the text is not a time.
std::optional<Timestamp> fromRfc3339(QStringView text);

// "15s", "250ms", "5m", "1h", "7d" as configuration and CLI write durations; nothing where it is not one,
// is negative or is over ten years.
std::optional<Milliseconds> parseDuration(QStringView text);
// The shortest exact form of that grammar: "15s", "1h", "1500ms".
QString formatDuration(Milliseconds duration);

} // namespace sendoff
