#include "domain/problem.h"

namespace sendoff {

QString normalisedProviderText(const QString &text)
{
    return text.left(200);
}

Problem problemOf(const QString &provider, Channel channel, const AttemptResult &attempt)
{
    Problem problem;
    problem.outcome = attempt.outcome;
    problem.provider = provider;
    problem.channel = channel;
    problem.status = attempt.status;
    problem.code = attempt.code;
    return problem;
}

Suggestion suggestionFor(Outcome, const QString &)
{
    return {};
}

} // namespace sendoff
