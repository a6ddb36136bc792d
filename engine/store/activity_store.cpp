#include "store/activity_store.h"

namespace sendoff::store {

Result<std::vector<ActivityPoint>> activity(Database &, Timestamp, Timestamp, Milliseconds)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

Result<ForecastRecord> forecast(Database &, int)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

} // namespace sendoff::store
