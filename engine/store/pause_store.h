#pragma once
#include "domain/records.h"
#include "domain/result.h"
#include "store/database.h"
#include <QSet>
#include <optional>
#include <vector>

namespace sendoff::store {

// A person's pauses of a lane, a channel or everything, that stand now. A provider's own pause is on its row.
Result<std::vector<PauseRecord>> activePauses(Database &database);

// Everything that may not be claimed now, providers included. A plain value.
struct PausedParts
{
    bool everything = false;
    QSet<QString> lanes;
    QSet<QString> channels;
    QSet<QString> providers;
    std::optional<Milliseconds> untilNextEnd; // of the first that ends by itself

    bool isEmpty() const { return !everything && lanes.isEmpty() && channels.isEmpty() && providers.isEmpty(); }
    bool holds(Lane lane) const { return everything || lanes.contains(QString(toText(lane))); }
    bool holds(const QString &provider, Channel channel) const
    {
        return everything || channels.contains(QString(toText(channel))) || providers.contains(provider);
    }
};
// One cheap read.
Result<PausedParts> pausedParts(Database &database);

} // namespace sendoff::store
