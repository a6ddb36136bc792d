#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// One delivery with its event, attempts, receipts and operations. NotFound.
Result<DeliveryStory> deliveryStory(Database &database, const DeliveryId &id);

// The stories of deliveries that a WHERE over `d` chooses, oldest first; for the verbs of this module.
std::vector<DeliveryStory> storiesWhere(Session &session, const QByteArray &condition, const QVariantList &values,
                                        int limit);

} // namespace sendoff::store
