#pragma once
#include "domain/words.h"
#include <QString>
#include <optional>

namespace sendoff {

// What the last read, just before the hand-over to the transport, found out about a delivery.
struct LastRead
{
    bool expired = false;
    bool superseded = false;      // a later event with the same supersedes key was relayed
    bool preferenceOff = false;   // the person switched category and channel off
    bool isSecurity = false;      // can't be switched off
    bool hardBounced = false;     // a suppression that says nothing can arrive
    bool complained = false;      // a suppression by complaint; does not block security mail
    bool alreadyAccepted = false; // a receipt proves that an earlier attempt arrived
};

struct Refusal
{
    DeliveryState state;
    Reason reason;
    QString detail;
};

// Nothing where the send may go on. Pure.
std::optional<Refusal> refusalFor(const LastRead &read);

} // namespace sendoff
