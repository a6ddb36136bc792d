#pragma once
#include "domain/result.h"

namespace sendoff::app {

// What the program answers to the shell; part of its stable outside.
enum class ExitCode {
    Done = 0,
    Failed = 1,
    Usage = 2, // or configuration
    StoreUnavailable = 3,
    NothingMatched = 4,
    Refused = 5 // by state or rights
};

ExitCode exitCodeFor(ErrorCode code);

} // namespace sendoff::app
