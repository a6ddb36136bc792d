#pragma once
#include "channel/http_transport.h"
#include "domain/attempt.h"
#include <QJsonObject>
#include <optional>
#include <span>

namespace sendoff::channel {

// One line of a provider's table: what a status and an error name mean. Tables are data; the order of decision, the
// same for every provider, is here: what became of the transport, the family of the status, the name, the text.
struct AnswerRule
{
    int status = 0; // 0: any that is no 5xx
    const char *code = "";
    Outcome outcome = Outcome::Unknown;
    Milliseconds floor{0}; // documented, for waits that the headers understate or leave out
    bool idempotencyConflict = false;
    bool pausesBucket = true;
    bool tripsBreaker = true; // a Configuration: false where it concerns one recipient's country or app
    bool suppresses = true;   // a PermanentRecipient: false where the address is alive, only not for this sender
};

// What a provider can do with a second copy of a request whose answer says "server error".
enum class Repeats { KnownByKey, NotKnown };

// The result where there is no complete answer to read: no status, or a success that broke off. Nothing where the
// classifier must read the answer.
std::optional<AttemptResult> resultWithoutAnswer(const HttpAnswer &answer);

// The result of an answer that is no success: the rule for status and code if there is one, else the status decides
// (an unknown 4xx is about this message and never about the recipient). Reads the wait from the headers.
AttemptResult resultOfRefusal(std::span<const AnswerRule> rules, Repeats repeats, const HttpAnswer &answer,
                              const QString &code, const QString &text, Timestamp now);

// Copies what a rule says of one answer: outcome, flags.
void apply(const AnswerRule &rule, AttemptResult &result);

// The rule for a name alone, nullptr where the table has none.
const AnswerRule *ruleFor(std::span<const AnswerRule> rules, const QString &code);

bool isSuccess(int status);
// The body as a JSON object, empty where it is not one.
QJsonObject jsonBody(const HttpAnswer &answer);
// A sentence in place of a body that can't be read: the raw one could repeat what we sent.
QString unreadableBody(const HttpAnswer &answer);

} // namespace sendoff::channel
