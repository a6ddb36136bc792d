#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include "store/delivery_stories.h"
#include <functional>

namespace sendoff::store {

// What people read of deliveries, live and finished together. Read-only; blocking; never more than the limits say.

// Paged by the sort's key and the id. By creation, whose keys never change, rows that move between the tables while
// somebody pages are neither lost nor shown twice. NextDue lists what is scheduled (ready rows are due already),
// LastEnded what has ended. `after` is a page's `next`, empty for the first. A page looks at a bounded number of rows:
// it may hold fewer than `limit`, even none, and still have a next one, which goes on behind the last row looked at.
// Invalid: limit outside 1…1000, a cursor that is not ours or of another sort.
Result<DeliveryPage> listDeliveries(Database &database, const Filter &filter, DeliverySort sort, const QString &after,
                                    int limit);

// Asks for further pages until `limit` rows are there or none are left; for callers that want a full page and can wait.
Result<DeliveryPage> fullPage(Database &database, const Filter &filter, DeliverySort sort, const QString &after,
                              int limit);
using PageQuery = std::function<Result<DeliveryPage>(const QString &after, int limit)>;
Result<DeliveryPage> fullPage(const PageQuery &query, const QString &after, int limit);

// Matching rows; stops at `cap`, and after a bounded number of rows looked at.
Result<RowCount> countDeliveries(Database &database, const Filter &filter, qint64 cap);
// The same however many rows must be looked at; for what has to be exact.
Result<qint64> countDeliveriesExactly(Database &database, const Filter &filter, qint64 cap);

} // namespace sendoff::store
