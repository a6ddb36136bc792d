#pragma once
#include "domain/result.h"

class QSqlError;

namespace sendoff::store {

// A failed statement on its way to the transaction's wrapper; leaves this module only as an Error.
struct SqlError
{
    explicit SqlError(Error cause)
        : error(std::move(cause))
    {}
    Error error;
};

// The database's error as ours. Keeps its words but not the statement, which may hold values.
Error errorFrom(const QSqlError &error, bool isPostgreSql);
QString plainText(const QSqlError &error);

} // namespace sendoff::store
