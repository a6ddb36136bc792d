#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What people read of deliveries, live and finished together. Read-only; blocking; never more than the limits say.

// Paged by the sort's key and the id. By creation, whose keys never change, rows that move between the tables while
// somebody pages are neither lost nor shown twice. `after` is a page's `next`, empty for the first. A page looks at a
// bounded number of rows: it may hold fewer than `limit`, even none, and still have a next one. Invalid: limit outside
// 1…1000, a cursor that is not ours or of another sort.
Result<DeliveryPage> listDeliveries(Database &database, const Filter &filter, DeliverySort sort, const QString &after,
                                    int limit);
// Matching rows; stops at `cap`, and after a bounded number of rows looked at.
Result<RowCount> countDeliveries(Database &database, const Filter &filter, qint64 cap);
// The same however many rows must be looked at; for what has to be exact.
Result<qint64> countDeliveriesExactly(Database &database, const Filter &filter, qint64 cap);
// One delivery with its event, attempts, receipts and operations. NotFound.
Result<DeliveryStory> deliveryStory(Database &database, const DeliveryId &id);

// The stories of deliveries that a WHERE over `d` chooses, oldest first; for the verbs of this module.
std::vector<DeliveryStory> storiesWhere(Session &session, const QByteArray &condition, const QVariantList &values,
                                        int limit);

} // namespace sendoff::store
