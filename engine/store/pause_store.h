#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// A person's pauses of a lane, a channel or everything, that stand now. A provider's own pause is on its row.
Result<std::vector<PauseRecord>> activePauses(Database &database);

} // namespace sendoff::store
