#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What people wrote down about a problem, delivery, event, provider or user, newest first, at most a thousand. They
// enter as operations.
Result<std::vector<NoteRecord>> notesOf(Database &database, const QString &kind, const QString &object);

} // namespace sendoff::store
