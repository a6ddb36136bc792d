#pragma once
#include <QChar>
#include <QString>
#include <map>
#include <tuple>
#include <vector>

namespace sendoff::store {

class Session;

// One tenant's share of one provider's lane.
struct FlowKey
{
    QString provider;
    QString lane;
    QString tenant;
    friend bool operator<(const FlowKey &a, const FlowKey &b)
    {
        return std::tie(a.provider, a.lane, a.tenant) < std::tie(b.provider, b.lane, b.tenant);
    }
};

// The flow of a lane's retries; no tenant's name holds this character.
inline const QString retryFlow = QString(QChar(1)) + QStringLiteral("retries");
// What a flow gets beside a flow of weight 1; one that is absent: 1.
using FlowWeights = std::map<FlowKey, double>;

// Gives `count` rows of each flow their start tags of start-time fair queueing, in order. Flows are locked in the map's
// order, so two engines can't deadlock; the locks hold to the end of the transaction.
std::map<FlowKey, std::vector<qint64>> startTags(Session &session, const std::map<FlowKey, int> &counts,
                                                 const FlowWeights &weights = {});

} // namespace sendoff::store
