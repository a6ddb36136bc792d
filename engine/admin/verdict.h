#pragma once
#include "store/status_queries.h"

namespace sendoff::admin {

// The one sentence for people, and whether somebody should look. Pure. Unhealthy is:
//  - work waits and no engine is alive;
//  - an open breaker holds up rows;
//  - urgent or normal rows, or pending events, wait longer than five minutes (not behind a pause of their provider,
//    channel or lane or of everything, which is a person's will and is told; not bulk, whose hours of waiting are its
//    rate);
//  - within fifteen minutes at least ten deliveries died and more than a tenth of all that ended did: single bad
//    addresses are ordinary, a dying channel is not.
void judge(store::StatusFacts &facts);

} // namespace sendoff::admin
