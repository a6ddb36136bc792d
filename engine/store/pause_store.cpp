#include "store/pause_store.h"

namespace sendoff::store {

Result<std::vector<PauseRecord>> activePauses(Database &)
{
    return std::vector<PauseRecord>{};
}

} // namespace sendoff::store
