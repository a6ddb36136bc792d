#pragma once
#include "admin/operation_rules.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::admin {

struct OperationPreview
{
    PreviewRecord record;
    QString firstRefusal; // why the first row that is skipped would be; empty: none
};

// What an operation would do, by read-only queries and the rules that execution uses. Looks at countCap rows at the
// most: beyond them every number but the watermark is a lower bound.
Result<OperationPreview> previewOperation(store::Database &database, Verb verb, const Filter &filter);

} // namespace sendoff::admin
