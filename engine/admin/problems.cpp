#include "admin/problems.h"

namespace sendoff::admin {

Result<std::vector<ProblemRecord>> problems(store::Database &, ProblemGrouping, const Filter &, int)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

} // namespace sendoff::admin
