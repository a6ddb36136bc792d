#pragma once
#include "sandbox/callback_plan.h"
#include "sandbox/message_ledger.h"

namespace sendoff::sandbox {

// The providers' words about a message. Pure, any thread.

struct CallbackMessage
{
    QByteArray id; // svix-id, sg_event_id, Postmark's ID: the same for each attempt and duplicate
    QByteArray contentType;
    QByteArray body;
};

// One event as its provider writes it; `number` makes the id. Nothing where the provider has no word for it: Twilio
// knows no complaint, Postmark tells no "sent".
std::optional<CallbackMessage> callbackMessage(const AcceptedMessage &message, const CallbackStep &step, qint64 number,
                                               Timestamp at);

} // namespace sendoff::sandbox
