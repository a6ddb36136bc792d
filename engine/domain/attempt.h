#pragma once
#include "domain/clock.h"
#include "domain/words.h"
#include <QString>
#include <optional>

namespace sendoff {

// What one request to a provider came to, as a provider's classifier reads it. `outcome` is about the message;
// the engine's rules turn it into the next state (settlement.h).
struct AttemptResult
{
    Outcome outcome = Outcome::Unknown;
    int status = 0;                   // HTTP or SMTP status, 0: none arrived
    QString code;                     // the provider's own error name, or ours ("timeout", "connection_refused")
    QString text;                     // its words, storable, at most 500 characters, secrets and address removed
    std::optional<Milliseconds> wait; // asked for by the provider, before our maximum is applied
    QString providerMessageId;
    bool left = true;                 // false only where surely no byte of the body left this process
    bool idempotencyConflict = false; // the key was used before with another body: an earlier send may stand
    bool pausesBucket = true;         // a Throttled that concerns the whole account, not one device
    bool tripsBreaker = true; // a Configuration that concerns the whole account, not one recipient's country or app
    bool suppresses = false;  // a PermanentRecipient by the provider's own word about the address
};

constexpr qsizetype maxProviderText = 500;

} // namespace sendoff
