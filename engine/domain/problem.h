#pragma once
#include "domain/attempt.h"
#include "domain/words.h"
#include <QString>

namespace sendoff {

// A provider's words without what differs from row to row: numbers, ids, addresses, hosts, quoted parts, times and hex
// become "#", white space is folded, at most 200 characters. Never holds an address or a token.
QString normalisedProviderText(const QString &text);

// The kind of a failure: what fails alike has the same. Stable over releases: it is stored.
struct Problem
{
    QString fingerprint; // 16 hex digits
    Outcome outcome = Outcome::Unknown;
    QString provider;
    Channel channel = Channel::Email;
    int status = 0;
    QString code;
    QString text; // normalised
};
// Of an attempt that was not accepted.
Problem problemOf(const QString &provider, Channel channel, const AttemptResult &attempt);

// How much of a problem tells it from others. Where a provider invents too many texts, and then too many codes, the
// finer differences are given up, so that the number of problems stays bounded.
enum class ProblemGrain { Full, WithoutText, OutcomeOnly };
Problem coarsened(Problem problem, ProblemGrain grain);

// The fingerprint is the first eight bytes of the SHA-256 of length-prefixed fields ("6:resend9:throttled…"). This is
// what stands behind the provider's name, for a statement that only the database can complete.
QString fingerprintTail(const Problem &problem);

// What a person should do about it: one sentence, and the verb that does it ("retry", "discard", empty: none).
struct Suggestion
{
    QString sentence;
    QString verb;
};
Suggestion suggestionFor(Outcome outcome, const QString &code);

} // namespace sendoff
