#include "store/rights_store.h"

namespace sendoff::store {

Result<RightsRecord> rightsOf(Database &)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

QByteArray rolesSql(const StoreUrl &)
{
    return {};
}

Result<void> applyRoles(Database &)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

Result<RevealedRecord> reveal(Database &, const DeliveryId &, const QString &, const QString &)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

} // namespace sendoff::store
