#include "channel/provider_wait.h"

#include "channel/http_date.h"
#include <QMap>
#include <algorithm>

namespace sendoff::channel {

namespace {

// Digits only: no sign, no fraction, nothing that outgrows 64 bits.
std::optional<qint64> count(const QByteArray &text)
{
    const QByteArray trimmed = text.trimmed();
    const bool isDigits = !trimmed.isEmpty() && std::all_of(trimmed.begin(), trimmed.end(),
                                                            [](char each) { return each >= '0' && each <= '9'; });
    bool fits = false;
    const qint64 value = trimmed.toLongLong(&fits);
    return isDigits && fits ? std::optional(value) : std::nullopt;
}

std::optional<Milliseconds> seconds(const QByteArray &text)
{
    const auto value = count(text);
    if (!value)
        return std::nullopt;
    return Milliseconds(std::min(*value, qint64(longestWait.count() / 1000)) * 1000);
}

Milliseconds until(Timestamp time, Timestamp now)
{
    return std::clamp(time - now, Milliseconds(0), longestWait);
}

std::optional<Milliseconds> retryAfter(const QByteArray &value, Timestamp now)
{
    if (const auto wait = seconds(value))
        return wait;
    const auto date = parseHttpDate(value, now);
    return date ? std::optional(until(*date, now)) : std::nullopt;
}

bool saysSomethingRemains(const QByteArray &remaining)
{
    return count(remaining).value_or(0) > 0;
}

// RateLimit-Remaining and RateLimit-Reset, drafts up to 06.
std::optional<Milliseconds> separateHeaders(const HttpAnswer &answer)
{
    const auto wait = seconds(answer.header("RateLimit-Reset"));
    if (wait && saysSomethingRemains(answer.header("RateLimit-Remaining")))
        return Milliseconds(0);
    return wait;
}

// Splits outside quotes.
QList<QByteArray> split(const QByteArray &text, char separator)
{
    QList<QByteArray> parts{QByteArray()};
    bool isQuoted = false;
    for (const char character : text) {
        if (character == '"')
            isQuoted = !isQuoted;
        if (character == separator && !isQuoted)
            parts.append(QByteArray());
        else
            parts.last() += character;
    }
    return parts;
}

// `name=value` members of a list.
QMap<QByteArray, QByteArray> members(const QList<QByteArray> &parts)
{
    QMap<QByteArray, QByteArray> named;
    for (const QByteArray &part : parts) {
        const qsizetype equals = part.indexOf('=');
        if (equals > 0)
            named.insert(part.left(equals).trimmed().toLower(), part.mid(equals + 1).trimmed());
    }
    return named;
}

std::optional<Milliseconds> resetOf(const QMap<QByteArray, QByteArray> &named, const char *remaining, const char *reset)
{
    const auto wait = seconds(named.value(reset));
    if (wait && saysSomethingRemains(named.value(remaining)))
        return Milliseconds(0);
    return wait;
}

// RateLimit: `limit=100, remaining=0, reset=5` (draft 07) or `"policy";r=0;t=30, "other";r=5;t=1` (drafts 08-11),
// where the longest wait of the policies that are used up counts.
std::optional<Milliseconds> combinedHeader(const QByteArray &value)
{
    const QList<QByteArray> items = split(value, ',');
    if (const auto named = members(items); named.contains("reset"))
        return resetOf(named, "remaining", "reset");
    std::optional<Milliseconds> longest;
    for (const QByteArray &item : items) {
        if (const auto wait = resetOf(members(split(item, ';')), "r", "t"))
            longest = std::max(longest.value_or(Milliseconds(0)), *wait);
    }
    return longest;
}

// An epoch by its inventors, seconds by others: what is too small for a date of this century is seconds.
std::optional<Milliseconds> epochHeader(const HttpAnswer &answer, Timestamp now)
{
    constexpr qint64 smallestEpoch = 100'000'000;
    constexpr qint64 largestEpoch = 253'402'300'799; // the year 9999
    const auto value = count(answer.header("X-RateLimit-Reset"));
    if (!value)
        return std::nullopt;
    if (saysSomethingRemains(answer.header("X-RateLimit-Remaining")))
        return Milliseconds(0);
    if (*value < smallestEpoch)
        return Milliseconds(*value * 1000);
    return until(Timestamp(Milliseconds(std::min(*value, largestEpoch) * 1000)), now);
}

} // namespace

std::optional<Milliseconds> providerWait(const HttpAnswer &answer, Timestamp now)
{
    if (const auto wait = retryAfter(answer.header("Retry-After"), now))
        return wait;
    if (const auto wait = separateHeaders(answer))
        return wait;
    if (const auto wait = combinedHeader(answer.header("RateLimit")))
        return wait;
    return epochHeader(answer, now);
}

} // namespace sendoff::channel
