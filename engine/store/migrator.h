#pragma once
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::store {

constexpr int schemaNumber = 4; // the newest migration this program knows

// What a store says of itself; schema 0: it is empty.
struct SchemaVersion
{
    int schema = 0;
    int minReader = 0;
    int minWriter = 0;
};

Result<SchemaVersion> schemaVersion(Database &database);
// Brings the store up to date, under a lock, in one transaction: safe when several programs start at once and when
// the process dies half way. Answers the version before. Refused where the store is newer than this program.
Result<SchemaVersion> migrate(Database &database);
// Whether this program may use the store: ReadOnly where it may only read, Refused with what to do otherwise.
Result<void> checkSchema(const SchemaVersion &version);

} // namespace sendoff::store
