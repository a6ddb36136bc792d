#include "app/cli/exit_code.h"

namespace sendoff::app {

ExitCode exitCodeFor(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Busy:
    case ErrorCode::Unavailable:
    case ErrorCode::ReadOnly:
    case ErrorCode::StaleStatement:
        return ExitCode::StoreUnavailable;
    case ErrorCode::NotFound:
        return ExitCode::NothingMatched;
    case ErrorCode::Invalid:
        return ExitCode::Usage;
    case ErrorCode::Conflict:
    case ErrorCode::Refused:
        return ExitCode::Refused;
    case ErrorCode::Corrupt:
        return ExitCode::Failed;
    }
    return ExitCode::Failed;
}

} // namespace sendoff::app
