#include "channel/answer_rules.h"

#include "channel/provider_wait.h"
#include <QJsonDocument>
#include <algorithm>

namespace sendoff::channel {

namespace {

Outcome outcomeOfStatus(int status, Repeats repeats)
{
    if (status == 429)
        return Outcome::Throttled;
    if (status == 408 || status == 425) // the server has not taken the request
        return Outcome::Transient;
    const bool isOurSetting = status == 401 || status == 403 || status == 404 || status == 405;
    if (isOurSetting || (status >= 300 && status < 400)) // a redirect: base_url is not where the API is
        return Outcome::Configuration;
    if (status >= 400 && status < 500)
        return Outcome::PermanentMessage;
    if (status >= 500 && status < 600)
        return repeats == Repeats::KnownByKey ? Outcome::Transient : Outcome::Unknown;
    return Outcome::Unknown;
}

const AnswerRule *ruleFor(std::span<const AnswerRule> rules, int status, const QString &code)
{
    const AnswerRule *found = nullptr;
    for (const AnswerRule &rule : rules) {
        if (code != QLatin1String(rule.code))
            continue;
        if (rule.status == status)
            return &rule;
        if (rule.status == 0 && status < 500)
            found = &rule;
    }
    return found;
}

Outcome outcomeOfFault(const HttpAnswer &answer)
{
    switch (answer.fault) {
    case Fault::Refused:
        return Outcome::Configuration; // headers and address come from settings
    case Fault::Tls:
        return answer.faultCode == QLatin1String("tls_handshake") ? Outcome::Transient : Outcome::Configuration;
    case Fault::NotConnected:
        return Outcome::Transient;
    default:
        break;
    }
    const bool isNotSent = !answer.left || answer.faultCode == QLatin1String("not_processed");
    return isNotSent ? Outcome::Transient : Outcome::Unknown;
}

QString codeOfFault(const HttpAnswer &answer)
{
    if (!answer.faultCode.isEmpty())
        return answer.faultCode;
    switch (answer.fault) {
    case Fault::None:
        return QStringLiteral("no_answer");
    case Fault::Refused:
        return QStringLiteral("request_refused");
    case Fault::NotConnected:
        return QStringLiteral("unreachable");
    case Fault::Tls:
        return QStringLiteral("tls");
    case Fault::Proxy:
        return QStringLiteral("proxy");
    case Fault::Deadline:
        return QStringLiteral("timeout");
    case Fault::Lost:
        return QStringLiteral("connection_lost");
    case Fault::TooLarge:
        return QStringLiteral("answer_too_large");
    case Fault::Cancelled:
        return QStringLiteral("cancelled");
    }
    Q_UNREACHABLE();
}

bool brokeOff(Fault fault)
{
    return fault == Fault::Lost || fault == Fault::Deadline || fault == Fault::Cancelled;
}

} // namespace

const AnswerRule *ruleFor(std::span<const AnswerRule> rules, const QString &code)
{
    return ruleFor(rules, 0, code);
}

bool isSuccess(int status)
{
    return status >= 200 && status < 300;
}

void apply(const AnswerRule &rule, AttemptResult &result)
{
    result.outcome = rule.outcome;
    result.idempotencyConflict = rule.idempotencyConflict;
    result.pausesBucket = rule.pausesBucket;
    result.tripsBreaker = rule.tripsBreaker;
    result.suppresses = rule.outcome == Outcome::PermanentRecipient && rule.suppresses;
}

std::optional<AttemptResult> resultWithoutAnswer(const HttpAnswer &answer)
{
    const bool mustBeRead = answer.status != 0 && (answer.fault == Fault::None || !isSuccess(answer.status));
    if (mustBeRead)
        return std::nullopt;
    AttemptResult result;
    result.outcome = answer.status == 0 ? outcomeOfFault(answer) : Outcome::Unknown;
    result.status = answer.status;
    result.code = codeOfFault(answer);
    result.text = answer.faultText;
    result.left = answer.left;
    return result;
}

AttemptResult resultOfRefusal(std::span<const AnswerRule> rules, Repeats repeats, const HttpAnswer &answer,
                              const QString &code, const QString &text, Timestamp now)
{
    AttemptResult result;
    result.status = answer.status;
    result.code = code.isEmpty() ? QStringLiteral("http_%1").arg(answer.status) : code;
    result.text = text.isEmpty() ? unreadableBody(answer) : text;

    const AnswerRule *rule = code.isEmpty() ? nullptr : ruleFor(rules, answer.status, code);
    result.outcome = outcomeOfStatus(answer.status, repeats);
    if (rule) {
        apply(*rule, result);
    } else if (code.isEmpty() && brokeOff(answer.fault) && result.outcome == Outcome::PermanentMessage) {
        result.outcome = Outcome::Transient; // the name was in the part that was lost: no reason to give up
    }
    const bool isTriedAgain = result.outcome == Outcome::Throttled || result.outcome == Outcome::Transient ||
                              result.outcome == Outcome::Unknown;
    if (isTriedAgain) {
        result.wait = providerWait(answer, now);
        if (rule && rule->floor > Milliseconds(0))
            result.wait = std::max(result.wait.value_or(Milliseconds(0)), rule->floor);
    }
    return result;
}

QJsonObject jsonBody(const HttpAnswer &answer)
{
    return QJsonDocument::fromJson(answer.body).object();
}

QString unreadableBody(const HttpAnswer &answer)
{
    const QString type = QString::fromLatin1(answer.header("Content-Type")).section(u';', 0, 0).trimmed();
    return QStringLiteral("HTTP %1 with %2 bytes of %3 that say no reason")
        .arg(answer.status)
        .arg(answer.body.size())
        .arg(type.isEmpty() ? QStringLiteral("an unnamed type") : type);
}

} // namespace sendoff::channel
