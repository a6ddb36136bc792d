#pragma once
#include "channel/smtp/smtp_rules.h"
#include "domain/attempt.h"

namespace sendoff::channel {

// What a server's reply at a stage means. Pure; the tables are in smtp_rules.h, the enhanced code speaks first, then
// words that make a temporary refusal more exact, then the basic code with the stage.
SmtpMeaning meaningOf(SmtpStage stage, const SmtpReply &reply);
// What it means that the connection was lost, or our time was up, at a stage.
SmtpMeaning meaningOfLoss(SmtpStage stage);

// The attempt's result of a reply. Text still holds whatever the server wrote: redact it.
// Every reply before Mail is about our own server: it never blames the recipient, whatever its code.
AttemptResult resultOfReply(SmtpStage stage, const SmtpReply &reply);

// The name under which a server keeps an accepted mail, from its reply to the final dot; empty where it says none.
QString queueIdOf(const SmtpReply &reply);

} // namespace sendoff::channel
