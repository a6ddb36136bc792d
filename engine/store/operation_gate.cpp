#include "store/operation_gate.h"

namespace sendoff::store {

qint64 insertOperation(Session &, const NewOperation &)
{
    return 0;
}

bool changeOperation(Session &, qint64, OperationChange, qint64, const QString &)
{
    return false;
}

} // namespace sendoff::store
