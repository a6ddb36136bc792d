#include "channel/smtp/smtp_verdict.h"

#include <QRegularExpression>
#include <algorithm>
#include <span>

namespace sendoff::channel {

namespace {

bool fits(unsigned stages, SmtpStage stage)
{
    return stages == 0 || (stages & at(stage)) != 0;
}

const SmtpMeaning *byEnhancedCode(SmtpStage stage, const SmtpReply &reply)
{
    if (!reply.hasEnhanced)
        return nullptr;
    const auto rule = std::find_if(enhancedRules.begin(), enhancedRules.end(), [&](const EnhancedRule &each) {
        return (each.replyClass == 0 || each.replyClass == reply.code / 100) && each.subject == reply.subject &&
               (each.detail < 0 || each.detail == reply.detail) &&
               (each.basicCode == 0 || each.basicCode == reply.code) && fits(each.stages, stage);
    });
    return rule == enhancedRules.end() ? nullptr : &rule->meaning;
}

const SmtpMeaning *byWords(std::span<const TextRule> rules, const SmtpReply &reply)
{
    for (const TextRule &rule : rules) {
        const QRegularExpression pattern(QString::fromLatin1(rule.pattern), QRegularExpression::CaseInsensitiveOption);
        if (pattern.match(reply.text).hasMatch())
            return &rule.meaning;
    }
    return nullptr;
}

// A refused recipient that the server would take from somebody else. A code that stands behind the words is as vague
// as they are where it says "policy".
const SmtpMeaning *byOwnFault(SmtpStage stage, const SmtpReply &reply)
{
    const bool isVague = !reply.hasEnhanced || (reply.isEnhancedLast && reply.subject == 7);
    return stage == SmtpStage::Rcpt && reply.code / 100 == 5 && isVague ? byWords(ownFaultRules, reply) : nullptr;
}

const SmtpMeaning *byText(const SmtpReply &reply)
{
    const bool mayBeTemporary = reply.code / 100 == 4 || reply.code == 552;
    return mayBeTemporary ? byWords(textRules, reply) : nullptr;
}

const SmtpMeaning *byBasicCode(SmtpStage stage, const SmtpReply &reply)
{
    const auto rule = std::find_if(basicRules.begin(), basicRules.end(), [&](const BasicRule &each) {
        return each.code == reply.code && fits(each.stages, stage);
    });
    return rule == basicRules.end() ? nullptr : &rule->meaning;
}

SmtpMeaning ofPositive(SmtpStage stage, const SmtpReply &reply)
{
    const bool isExpected = stage == SmtpStage::Data ? reply.code == 354 : reply.code / 100 == 2;
    if (!isExpected && stage != SmtpStage::Auth) {
        // After the dot such a reply says neither yes nor no.
        const bool isDoubtful = stage == SmtpStage::EndOfData;
        return {isDoubtful ? Outcome::Unknown : Outcome::Transient, "malformed", {}, false};
    }
    if (reply.code == 251)
        return {Outcome::Accepted, "forwarded", {}, false};
    return {Outcome::Accepted, stage == SmtpStage::Ehlo ? "ehlo" : "accepted", {}, false};
}

} // namespace

SmtpMeaning meaningOf(SmtpStage stage, const SmtpReply &reply)
{
    if (reply.code == 0)
        return {stage == SmtpStage::EndOfData ? Outcome::Unknown : Outcome::Transient, "malformed", {}, false};
    if (reply.isPositive())
        return ofPositive(stage, reply);
    if (const SmtpMeaning *meaning = byOwnFault(stage, reply))
        return *meaning;
    if (const SmtpMeaning *meaning = byEnhancedCode(stage, reply))
        return *meaning;
    if (const SmtpMeaning *meaning = byText(reply))
        return *meaning;
    if (const SmtpMeaning *meaning = byBasicCode(stage, reply))
        return *meaning;
    if (reply.code / 100 == 4)
        return {Outcome::Transient, "unknown_4xx", {}, false};
    const bool isAboutUs = fits(beforeMail | at(SmtpStage::Auth), stage);
    return {isAboutUs ? Outcome::Configuration : Outcome::PermanentMessage, "unknown_5xx", {}, false};
}

SmtpMeaning meaningOfLoss(SmtpStage stage)
{
    switch (stage) {
    case SmtpStage::EndOfData:
        return {Outcome::Unknown, "transport", {}, false};
    case SmtpStage::Quit:
        return {Outcome::Accepted, "transport", {}, false};
    default:
        return {Outcome::Transient, "transport", {}, false};
    }
}

namespace {

// MAIL names our sender only. The exception: SMTPUTF8 is asked for with MAIL, and it is the recipient who needs it.
void blameSender(AttemptResult &result)
{
    if (result.outcome != Outcome::PermanentRecipient || result.code == QLatin1String("eai_unsupported"))
        return;
    result.outcome = Outcome::Configuration;
    if (result.code != QLatin1String("host_refuses_mail"))
        result.code = QStringLiteral("sender_address");
}

} // namespace

AttemptResult resultOfReply(SmtpStage stage, const SmtpReply &reply)
{
    const SmtpMeaning meaning = meaningOf(stage, reply);
    AttemptResult result;
    result.outcome = meaning.outcome;
    result.status = reply.code;
    result.left = fits(withBody, stage);
    if (meaning.outcome == Outcome::Accepted) {
        result.providerMessageId = queueIdOf(reply);
        return result;
    }
    result.code = QString::fromLatin1(meaning.kind);
    result.text = reply.text;
    if (meaning.wait > Milliseconds(0))
        result.wait = meaning.wait;
    const bool isAboutUs = fits(beforeMail | at(SmtpStage::Auth), stage);
    const bool blamesMail =
        result.outcome == Outcome::PermanentRecipient || result.outcome == Outcome::PermanentMessage;
    if (isAboutUs && blamesMail)
        result.outcome = Outcome::Configuration;
    if (stage == SmtpStage::Mail)
        blameSender(result);
    // To RCPT "bad syntax" is about one address: the server takes the others.
    if (stage == SmtpStage::Rcpt && result.outcome == Outcome::Configuration)
        result.tripsBreaker = result.code != QLatin1String("protocol");
    const bool hasNamedRecipient = stage == SmtpStage::Rcpt || fits(withBody, stage) || stage == SmtpStage::Dsn;
    result.suppresses =
        result.outcome == Outcome::PermanentRecipient && hasNamedRecipient && meaning.suppressesRecipient;
    return result;
}

QString queueIdOf(const SmtpReply &reply)
{
    // Postfix, sendmail and many; Exim; Amazon SES; OpenSMTPD and qmail.
    static const QRegularExpression shapes(
        QStringLiteral("\\bqueued as ([A-Za-z0-9.+-]{4,80})|\\bid=([A-Za-z0-9-]{6,80})|"
                       "^250 (?:2\\.\\d\\.\\d )?Ok ([0-9a-f-]{20,80})$|\\b([0-9a-f]{8,32}) Message accepted|"
                       "^250 (?:2\\.\\d\\.\\d )?([0-9A-Za-z]{12,20}) Message accepted for delivery"),
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = shapes.match(reply.text);
    for (int group = 1; group <= match.lastCapturedIndex(); ++group) {
        if (match.hasCaptured(group))
            return match.captured(group);
    }
    return {};
}

} // namespace sendoff::channel
