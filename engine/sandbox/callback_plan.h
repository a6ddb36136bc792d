#pragma once
#include "domain/clock.h"
#include <QByteArray>
#include <QMap>
#include <QString>
#include <optional>
#include <vector>

namespace sendoff::sandbox {

// What a provider tells of a message after it took it. Plain values, any thread.
enum class CallbackEvent { Sent, Delivered, BouncedHard, BouncedSoft, Complained, Failed };

struct CallbackStep
{
    CallbackEvent event = CallbackEvent::Delivered;
    Milliseconds after{0}; // since the message was taken
    int times = 1;         // the same bytes so often: a duplicate
    QByteArray code;       // Twilio's ErrorCode, empty: the usual one of the event
};
using CallbackSteps = std::vector<CallbackStep>;

// Where one provider's callbacks go and how they are signed.
struct CallbackTarget
{
    QByteArray url;                                   // Twilio: empty, the request's StatusCallback says it
    QByteArray secret;                                // "whsec_…", "user:password", auth token; SendGrid: none
    CallbackSteps steps;                              // of messages for which no rule says other ones
    std::optional<std::vector<Milliseconds>> retries; // waits before them; nothing: the provider's own first ones
};
using CallbackTargets = QMap<QString, CallbackTarget>; // by the provider's name

struct CallbackCounts
{
    qint64 posted = 0;     // attempts
    qint64 accepted = 0;   // answered with a 2xx
    qint64 refused = 0;    // with another status
    qint64 unanswered = 0; // not at all
    qint64 givenUp = 0;    // callbacks that no attempt brought home
    qint64 waiting = 0;    // callbacks that are still to be posted, or again
};

} // namespace sendoff::sandbox
