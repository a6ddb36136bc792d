#pragma once
#include "channel/http_transport.h"
#include "domain/clock.h"
#include <optional>

namespace sendoff::channel {

// A wait longer than this is given as this: nothing that is reckoned with it can overflow.
constexpr Milliseconds longestWait{3'650LL * 86'400'000};

// How long the provider asks us to wait, as its headers say: Retry-After (seconds or a date), RateLimit-Reset
// (seconds), RateLimit (drafts 07 and 08-11), X-RateLimit-Reset (epoch seconds, or seconds where small); the first
// that can be read wins. 0 where it says "now" or names a past date. Nothing where no header says anything readable:
// then our own back-off holds. Our maximum is not applied here.
std::optional<Milliseconds> providerWait(const HttpAnswer &answer, Timestamp now);

} // namespace sendoff::channel
