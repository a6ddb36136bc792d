#include "domain/operation.h"

namespace sendoff {

QByteArray toJson(const OperationParameters &)
{
    return "{}";
}

Result<OperationParameters> operationParameters(const QByteArray &)
{
    return OperationParameters{};
}

Result<QByteArray> mergePatched(const QByteArray &payload, const QByteArray &)
{
    return payload;
}

} // namespace sendoff
