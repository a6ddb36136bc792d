#pragma once
#include "domain/clock.h"
#include "domain/ids.h"
#include "domain/words.h"
#include <QByteArray>
#include <QString>
#include <optional>

namespace sendoff {

// A committed business fact. Identity never changes; the payload is only ever reduced.
struct Event
{
    EventId id;
    qint64 sequence = 0; // order of insertion, the store's own
    QString type;
    QByteArray payload; // UTF-8 JSON object as the application wrote it
    QString tenant;
    std::optional<Lane> lane; // overrides the catalogue
    Timestamp occurredAt;
    Timestamp availableAt;              // not before
    std::optional<Timestamp> expiresAt; // not after
    QString supersedesKey;              // empty: none
    QString traceparent;                // W3C trace context given by the application, empty: none
    EventState state = EventState::Pending;
    QString reason; // why it was rejected, a sentence
    int tries = 0;  // failed relays, three are the end
};

constexpr int maxEventIdBytes = 200;
constexpr int maxRelayTries = 3;

} // namespace sendoff
