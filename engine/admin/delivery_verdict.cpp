#include "admin/delivery_verdict.h"

namespace sendoff::admin {

namespace {

QString at(const std::optional<Timestamp> &time)
{
    return time ? QStringLiteral(" at %1").arg(toRfc3339(*time)) : QString();
}

QString providerOf(const DeliveryRecord &delivery)
{
    return delivery.provider.isEmpty() ? QStringLiteral("the provider") : delivery.provider;
}

QString attempts(const DeliveryRecord &delivery)
{
    return delivery.attempts == 1 ? QStringLiteral("1 attempt") : QStringLiteral("%1 attempts").arg(delivery.attempts);
}

QString withoutStop(const QString &text)
{
    QString words = text.trimmed();
    while (words.endsWith(u'.'))
        words.chop(1);
    return words;
}

// ": mail to this address bounced for good", nothing where there is no detail.
QString because(const DeliveryRecord &delivery)
{
    const QString detail = withoutStop(delivery.detail);
    return detail.isEmpty() ? QString() : QStringLiteral(": %1").arg(detail);
}

// "resource_missing, status 404", empty where nothing of an answer is known.
QString answerParts(const DeliveryRecord &delivery)
{
    QStringList parts;
    if (!delivery.lastCode.isEmpty())
        parts += delivery.lastCode;
    if (delivery.lastStatus != 0)
        parts += QStringLiteral("status %1").arg(delivery.lastStatus);
    return parts.join(QLatin1String(", "));
}

// " (no_address)" for a reason that its state has no words for; a receipt's is left out, since it says what this state
// does not.
QString named(Reason reason)
{
    if (reason == Reason::None || reason == Reason::ReceiptDelivered || reason == Reason::ReceiptBounced)
        return {};
    return QStringLiteral(" (%1)").arg(toText(reason));
}

// What the provider did at the last attempt: "resend asked for patience (rate_limit_exceeded, status 429)".
QString lastAnswer(const DeliveryRecord &delivery)
{
    const QString who = providerOf(delivery);
    const QString parts = answerParts(delivery);
    const QString more = parts.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(parts);
    const auto outcome = fromText<Outcome>(delivery.lastOutcome);
    if (!outcome)
        return QStringLiteral("no answer of %1 is recorded").arg(who);
    switch (*outcome) {
    case Outcome::Accepted:
        return QStringLiteral("%1 took it%2").arg(who, more);
    case Outcome::Throttled:
        return QStringLiteral("%1 asked for patience%2").arg(who, more);
    case Outcome::Transient:
        return QStringLiteral("%1 was disturbed%2").arg(who, more);
    case Outcome::PermanentRecipient:
        return QStringLiteral("%1 refused the recipient%2").arg(who, more);
    case Outcome::PermanentMessage:
        return QStringLiteral("%1 refused the message%2").arg(who, more);
    case Outcome::Configuration:
        return QStringLiteral("%1 refused our account or its settings%2").arg(who, more);
    case Outcome::Unknown:
        return QStringLiteral("no certain answer came from %1%2").arg(who, more);
    }
    return {};
}

// What was tried so far, as the beginning of a sentence.
QString triedSoFar(const DeliveryRecord &delivery)
{
    if (delivery.attempts == 0)
        return QStringLiteral("Not sent yet");
    const QString tried =
        QStringLiteral("Tried %1, at the last %2")
            .arg(delivery.attempts == 1 ? QStringLiteral("once") : QStringLiteral("%1 times").arg(delivery.attempts),
                 lastAnswer(delivery));
    return delivery.hasUnknown ? QStringLiteral("%1; an attempt may have arrived").arg(tried) : tried;
}

// Why a live row waits until its time; empty where there is nothing to say.
QString waitReason(const DeliveryRecord &delivery)
{
    switch (delivery.reason) {
    case Reason::QuietHours:
        return QStringLiteral("the recipient's quiet hours");
    case Reason::Planned:
        return QStringLiteral("it is planned for then");
    case Reason::Throttled:
        return QStringLiteral("the provider's rate");
    case Reason::Configuration:
        return QStringLiteral("a setting of the provider that must be mended");
    case Reason::WorkerLost:
        return QStringLiteral("the worker that had it was lost");
    case Reason::OutcomeUnknown:
        return QStringLiteral("the outcome of the last attempt is not known");
    case Reason::ByPerson:
        return QStringLiteral("a person asked for it");
    default:
        return {};
    }
}

QString waiting(const DeliveryRecord &delivery)
{
    const QString why = waitReason(delivery);
    const QString reason = why.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(why);
    const QString risk = delivery.possibleDuplicate ? QStringLiteral("; the next one may be a duplicate") : QString();
    const QString next = delivery.attempts == 0
                             ? QStringLiteral("due %1%2").arg(toRfc3339(delivery.dueAt), reason)
                             : QStringLiteral("it is tried again at %1%2").arg(toRfc3339(delivery.dueAt), reason);
    const QString expiry = QStringLiteral("until %1 at the latest").arg(toRfc3339(delivery.expiresAt));
    return QStringLiteral("%1; %2, %3%4.").arg(triedSoFar(delivery), next, expiry, risk);
}

// Why nothing goes on by itself, for the states that a person or a rule has to end.
QString heldReason(const DeliveryRecord &delivery)
{
    switch (delivery.reason) {
    case Reason::MissingVariable:
        return QStringLiteral("its template needs a value that the event does not hold");
    case Reason::TemplateBroken:
        return QStringLiteral("its template can't be rendered");
    case Reason::Configuration:
        return QStringLiteral("no provider is set up for it");
    case Reason::OutcomeUnknown:
        return QStringLiteral("an attempt may have arrived");
    case Reason::SecretGone:
        return QStringLiteral("its secret was removed");
    case Reason::ContentGone:
        return QStringLiteral("its content was removed");
    case Reason::ByPerson:
        return QStringLiteral("a person holds it");
    default:
        return QStringLiteral("a policy stops it%1").arg(named(delivery.reason));
    }
}

QString held(const DeliveryRecord &delivery)
{
    return QStringLiteral("%1; held until a person decides, since %2%3.")
        .arg(triedSoFar(delivery), heldReason(delivery), because(delivery));
}

QString accepted(const DeliveryRecord &delivery)
{
    const QString how = delivery.reason == Reason::ReceiptDelivered
                            ? QStringLiteral("%1 has it, as a later word of it shows%2")
                                  .arg(providerOf(delivery), at(delivery.acceptedAt))
                            : QStringLiteral("%1 accepted it%2").arg(providerOf(delivery), at(delivery.acceptedAt));
    const QString copies = delivery.possibleDuplicate ? QStringLiteral("; it may have been sent twice") : QString();
    return QStringLiteral("Sent: %1; whether it arrived is not known yet%2.").arg(how, copies);
}

QString delivered(const DeliveryRecord &delivery)
{
    if (delivery.channel == Channel::Inbox)
        return QStringLiteral("It stands in the person's inbox%1.").arg(at(delivery.acceptedAt));
    const QString sent =
        delivery.acceptedAt
            ? QStringLiteral("Sent at %1 by %2").arg(toRfc3339(*delivery.acceptedAt), providerOf(delivery))
            : QStringLiteral("Sent by %1").arg(providerOf(delivery));
    return QStringLiteral("%1; delivered%2, by the provider's word.").arg(sent, at(delivery.endedAt));
}

QString bounced(const DeliveryRecord &delivery)
{
    const QString parts = answerParts(delivery);
    return QStringLiteral("%1 accepted it%2; the recipient's side refused it%3%4%5. It is not sent again by itself.")
        .arg(delivery.provider.isEmpty() ? QStringLiteral("The provider") : delivery.provider, at(delivery.acceptedAt),
             at(delivery.endedAt), parts.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(parts), because(delivery));
}

// The rule by which it was not sent.
QString suppressionRule(const DeliveryRecord &delivery)
{
    switch (delivery.reason) {
    case Reason::Preference:
        return QStringLiteral("the recipient switched off %1 by %2")
            .arg(delivery.category.isEmpty() ? QStringLiteral("this category") : delivery.category,
                 toText(delivery.channel));
    case Reason::AddressSuppressed:
        return QStringLiteral("the address is suppressed%1").arg(because(delivery));
    case Reason::NoAddress:
        return QStringLiteral("the recipient has no address for %1").arg(toText(delivery.channel));
    case Reason::InvalidAddress:
        return QStringLiteral("the address can't be written to%1").arg(because(delivery));
    case Reason::NoRecipient:
        return QStringLiteral("the event names nobody for this role");
    case Reason::QuietHours:
        return QStringLiteral("the recipient's quiet hours forbade it");
    case Reason::ByPerson:
        return QStringLiteral("a person forbade it%1").arg(because(delivery));
    default:
        return QStringLiteral("a rule forbade it%1%2").arg(named(delivery.reason), because(delivery));
    }
}

// "Not sent" is only said of what surely was not: no request was made, or each was refused.
QString notSent(const DeliveryRecord &delivery, const QString &why)
{
    if (delivery.hasUnknown)
        return QStringLiteral("An attempt may have arrived; not sent again%1, since %2.")
            .arg(at(delivery.endedAt), why);
    if (delivery.attempts == 0)
        return QStringLiteral("Not sent%1: %2.").arg(at(delivery.endedAt), why);
    return QStringLiteral("Not sent%1: after %2 (at the last %3) %4.")
        .arg(at(delivery.endedAt), attempts(delivery), lastAnswer(delivery), why);
}

QString expiryRule(const DeliveryRecord &delivery)
{
    const QString early = because(delivery);
    return QStringLiteral("its time was over (it expires at %1)%2").arg(toRfc3339(delivery.expiresAt), early);
}

QString replacement(const DeliveryRecord &delivery)
{
    return delivery.reason == Reason::ByEdit ? QStringLiteral("an edited copy of it replaced it")
                                             : QStringLiteral("a later event replaced it");
}

QString cancelRule(const DeliveryRecord &delivery)
{
    const QString detail = withoutStop(delivery.detail);
    if (delivery.reason == Reason::ByEvent)
        return QStringLiteral("a later event cancelled it");
    if (detail.isEmpty() || detail == QLatin1String("ended by a person"))
        return QStringLiteral("a person cancelled it");
    return QStringLiteral("a person cancelled it (%1)").arg(detail);
}

QString dead(const DeliveryRecord &delivery)
{
    const QString tried = delivery.attempts == 0
                              ? QStringLiteral("Given up%1 before any attempt").arg(at(delivery.endedAt))
                              : QStringLiteral("Given up%1 after %2; at the last %3")
                                    .arg(at(delivery.endedAt), attempts(delivery), lastAnswer(delivery));
    const QString again = QStringLiteral("It is not tried again by itself.");
    QString why;
    switch (delivery.reason) {
    case Reason::AttemptsSpent:
        why = QStringLiteral("all tries are used up");
        break;
    case Reason::PermanentRecipient:
        why = QStringLiteral("the recipient can't be reached");
        break;
    case Reason::PermanentMessage:
        why = QStringLiteral("the message can't be sent as it is");
        break;
    case Reason::WorkerLost:
        why = QStringLiteral("workers were lost with it again and again");
        break;
    case Reason::SecretGone:
        why = QStringLiteral("its secret was removed");
        break;
    case Reason::ContentGone:
        why = QStringLiteral("its content was removed");
        break;
    default:
        if (!named(delivery.reason).isEmpty())
            why = QStringLiteral("a rule ended it%1").arg(named(delivery.reason));
    }
    if (why.isEmpty())
        return QStringLiteral("%1%2. %3").arg(tried, because(delivery), again);
    return QStringLiteral("%1; %2%3. %4").arg(tried, why, because(delivery), again);
}

QString unknown(const DeliveryRecord &delivery)
{
    return QStringLiteral("It may have been sent: of %1 by %2 one has no known outcome%3%4. It is not sent again by "
                          "itself.")
        .arg(attempts(delivery), providerOf(delivery), because(delivery),
             delivery.endedAt ? QStringLiteral(" (given up at %1)").arg(toRfc3339(*delivery.endedAt)) : QString());
}

} // namespace

QString verdictOf(const DeliveryRecord &delivery)
{
    switch (delivery.state) {
    case DeliveryState::Scheduled:
    case DeliveryState::Ready:
        return waiting(delivery);
    case DeliveryState::Leased:
        return QStringLiteral("%1; an engine has it now.").arg(triedSoFar(delivery));
    case DeliveryState::Held:
        return held(delivery);
    case DeliveryState::Accepted:
        return accepted(delivery);
    case DeliveryState::Delivered:
        return delivered(delivery);
    case DeliveryState::Bounced:
        return bounced(delivery);
    case DeliveryState::Suppressed:
        return notSent(delivery, suppressionRule(delivery));
    case DeliveryState::Expired:
        return notSent(delivery, expiryRule(delivery));
    case DeliveryState::Cancelled:
        return notSent(delivery, cancelRule(delivery));
    case DeliveryState::Superseded:
        return notSent(delivery, replacement(delivery));
    case DeliveryState::Discarded:
        return notSent(delivery, QStringLiteral("a person discarded it"));
    case DeliveryState::Dead:
        return dead(delivery);
    case DeliveryState::Unknown:
        return unknown(delivery);
    }
    return {};
}

} // namespace sendoff::admin
