#pragma once
#include "admin/operation_rules.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"

namespace sendoff::admin {

struct PreviewQuestion
{
    Verb verb = Verb::Retry;
    Filter filter;
    OperationParameters parameters;
    int rate = 0; // asked for; 0: what the spare quota allows
};

// What an operation would do, by read-only queries and the rules that execution uses. It looks at a bounded number of
// rows: where isCapped, every number but the watermark is a lower bound. Shows nothing of an edit in clear. A control
// changes no rows: its preview is empty.
Result<PreviewRecord> previewOperation(store::Database &database, const PreviewQuestion &question);

} // namespace sendoff::admin
