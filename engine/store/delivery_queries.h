#pragma once
#include "domain/filter.h"
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What people read of deliveries, live and finished together. Read-only; blocking; never more than the limits say.

// Newest first by (created_at, id), which never change: rows that move between the tables while somebody pages are
// neither lost nor shown twice. `after` is a page's `next`, empty for the first. Invalid: limit outside 1…1000,
// a cursor that is not ours.
Result<DeliveryPage> listDeliveries(Database &database, const Filter &filter, const QString &after, int limit);
// Matching rows; stops counting at `cap`.
Result<qint64> countDeliveries(Database &database, const Filter &filter, qint64 cap);
// One delivery with its event, attempts, receipts and operations. NotFound.
Result<DeliveryStory> deliveryStory(Database &database, const DeliveryId &id);

// The stories of deliveries that a WHERE over `d` chooses, oldest first; for the verbs of this module.
std::vector<DeliveryStory> storiesWhere(Session &session, const QByteArray &condition, const QVariantList &values,
                                        int limit);

} // namespace sendoff::store
