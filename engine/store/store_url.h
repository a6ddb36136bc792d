#pragma once
#include "domain/result.h"
#include <QString>

namespace sendoff::store {

// Where a store is. "sqlite:PATH" or "postgresql://user@host:5432/database?schema=notify"; several hosts as libpq
// takes them ("host1:5432,host2"). A password never stands in the URL. A plain value.
struct StoreUrl
{
    enum class Kind { Sqlite, PostgreSql };
    Kind kind = Kind::Sqlite;
    QString path;  // SQLite
    QString hosts; // PostgreSQL, libpq's comma list
    QString ports;
    QString user;
    QString database;
    QString schema = QStringLiteral("public");
    QString options; // further libpq parameters, "sslmode=require;connect_timeout=5"

    // Invalid, with the part and the remedy.
    static Result<StoreUrl> parse(const QString &text);
    QString toText() const;
};

} // namespace sendoff::store
