#include "admin/person_history.h"

namespace sendoff::admin {

Result<PersonRecord> personHistory(store::Database &, const QString &, const QByteArray &, int)
{
    return Error{ErrorCode::Refused, QStringLiteral("not available yet")};
}

} // namespace sendoff::admin
