#include "ui/widgets/wording.h"

#include <QDateTime>
#include <QLocale>
#include <QRegularExpression>

namespace sendoff::ui {

QString Words::state(DeliveryState state)
{
    switch (state) {
    case DeliveryState::Scheduled:
        return tr("Scheduled");
    case DeliveryState::Ready:
        return tr("Ready");
    case DeliveryState::Leased:
        return tr("In flight");
    case DeliveryState::Held:
        return tr("Held");
    case DeliveryState::Accepted:
        return tr("Accepted");
    case DeliveryState::Delivered:
        return tr("Delivered");
    case DeliveryState::Bounced:
        return tr("Bounced");
    case DeliveryState::Suppressed:
        return tr("Suppressed");
    case DeliveryState::Expired:
        return tr("Expired");
    case DeliveryState::Cancelled:
        return tr("Cancelled");
    case DeliveryState::Superseded:
        return tr("Superseded");
    case DeliveryState::Discarded:
        return tr("Discarded");
    case DeliveryState::Dead:
        return tr("Dead");
    case DeliveryState::Unknown:
        return tr("Unknown");
    }
    return {};
}

Tone Words::tone(DeliveryState state)
{
    switch (state) {
    case DeliveryState::Scheduled:
    case DeliveryState::Leased:
        return Tone::Info;
    case DeliveryState::Held:
        return Tone::Warning;
    case DeliveryState::Accepted:
    case DeliveryState::Delivered:
        return Tone::Success;
    case DeliveryState::Bounced:
    case DeliveryState::Dead:
        return Tone::Danger;
    case DeliveryState::Unknown:
        return Tone::Unknown;
    case DeliveryState::Ready:
        return Tone::Plain;
    default:
        return Tone::Muted;
    }
}

QString Words::iconName(DeliveryState state)
{
    return QStringLiteral("state-") + toText(state);
}

QString Words::stateSentence(const DeliveryRecord &record)
{
    switch (record.state) {
    case DeliveryState::Scheduled:
        return tr("Waits until it is due. %1").arg(reason(record.reason)).trimmed();
    case DeliveryState::Ready:
        return tr("Due now; the next free worker takes it.");
    case DeliveryState::Leased:
        return tr("A worker is sending it.");
    case DeliveryState::Held:
        return tr("Waits for a person. %1").arg(reason(record.reason)).trimmed();
    case DeliveryState::Accepted:
        return tr("The provider took it. That is not arrival yet.");
    case DeliveryState::Delivered:
        return tr("It arrived, by the provider's word.");
    case DeliveryState::Bounced:
        return tr("The provider took it, then the mailbox refused it.");
    case DeliveryState::Unknown:
        return tr("It may have been sent, and nobody can tell. Sending again may reach the person twice.");
    default:
        return reason(record.reason);
    }
}

QString Words::reason(Reason reason)
{
    switch (reason) {
    case Reason::None:
        return {};
    case Reason::Planned:
        return tr("Planned for later.");
    case Reason::Retry:
        return tr("The last attempt failed; it is tried again.");
    case Reason::Throttled:
        return tr("The provider asked to wait.");
    case Reason::Configuration:
        return tr("The provider refused our settings.");
    case Reason::QuietHours:
        return tr("The person's quiet hours.");
    case Reason::Preference:
        return tr("The person switched this off.");
    case Reason::AddressSuppressed:
        return tr("The address must not be used.");
    case Reason::NoAddress:
        return tr("No address for this channel.");
    case Reason::InvalidAddress:
        return tr("The address can't be written to.");
    case Reason::NoRecipient:
        return tr("The event names nobody for this role.");
    case Reason::PastExpiry:
        return tr("It was too late to matter.");
    case Reason::ByPerson:
        return tr("Done by a person.");
    case Reason::ByEvent:
        return tr("A later event replaced it.");
    case Reason::ByEdit:
        return tr("An edited copy replaced it.");
    case Reason::PermanentRecipient:
        return tr("The provider refused the address for good.");
    case Reason::PermanentMessage:
        return tr("The provider refused the content for good.");
    case Reason::AttemptsSpent:
        return tr("Every attempt failed; the retry budget is spent.");
    case Reason::WorkerLost:
        return tr("Three workers in a row were lost with it.");
    case Reason::OutcomeUnknown:
        return tr("The outcome of an attempt is unknown.");
    case Reason::SecretGone:
        return tr("Its secret is gone, it can't be made again.");
    case Reason::ContentGone:
        return tr("Its content was removed.");
    case Reason::MissingVariable:
        return tr("The template needs a value that the event lacks.");
    case Reason::TemplateBroken:
        return tr("The template is broken.");
    case Reason::ReceiptDelivered:
        return tr("The provider reported the arrival.");
    case Reason::ReceiptBounced:
        return tr("The provider reported a bounce.");
    }
    return {};
}

QString Words::channel(Channel channel)
{
    switch (channel) {
    case Channel::Email:
        return tr("Email");
    case Channel::Sms:
        return tr("SMS");
    case Channel::Push:
        return tr("Push");
    case Channel::Inbox:
        return tr("Inbox");
    case Channel::Webhook:
        return tr("Webhook");
    }
    return {};
}

QString Words::channelIconName(Channel channel)
{
    return QStringLiteral("channel-") + toText(channel);
}

QString Words::lane(Lane lane)
{
    switch (lane) {
    case Lane::Urgent:
        return tr("urgent");
    case Lane::Normal:
        return tr("normal");
    case Lane::Bulk:
        return tr("bulk");
    }
    return {};
}

QString Words::outcome(const QString &outcome)
{
    const auto word = fromText<Outcome>(outcome);
    if (!word)
        return outcome.isEmpty() ? tr("Under way") : outcome;
    switch (*word) {
    case Outcome::Accepted:
        return tr("Accepted");
    case Outcome::Throttled:
        return tr("Throttled");
    case Outcome::Transient:
        return tr("Failed for now");
    case Outcome::PermanentRecipient:
        return tr("Address refused");
    case Outcome::PermanentMessage:
        return tr("Content refused");
    case Outcome::Configuration:
        return tr("Settings refused");
    case Outcome::Unknown:
        return tr("Outcome unknown");
    }
    return {};
}

Tone Words::outcomeTone(const QString &outcome)
{
    const auto word = fromText<Outcome>(outcome);
    if (!word)
        return Tone::Info;
    switch (*word) {
    case Outcome::Accepted:
        return Tone::Success;
    case Outcome::Throttled:
        return Tone::Warning;
    case Outcome::Unknown:
        return Tone::Unknown;
    default:
        return Tone::Danger;
    }
}

QString Words::answer(int status, const QString &code)
{
    if (status == 0 && code.isEmpty())
        return QStringLiteral("–");
    if (status == 0)
        return code;
    return code.isEmpty() || code == QString::number(status) ? QString::number(status)
                                                             : QStringLiteral("%1 %2").arg(status).arg(code);
}

QString Words::receipt(const QString &kind)
{
    if (kind == QLatin1String("delivered"))
        return tr("The provider reports: delivered");
    if (kind == QLatin1String("bounced"))
        return tr("The provider reports: bounced");
    if (kind == QLatin1String("complained"))
        return tr("The person complained about it");
    if (kind == QLatin1String("accepted"))
        return tr("A late answer: accepted");
    return tr("Receipt: %1").arg(kind);
}

QString Words::verb(const QString &verb)
{
    if (verb == QLatin1String("retry"))
        return tr("Retry");
    if (verb == QLatin1String("cancel"))
        return tr("Cancel deliveries");
    return verb;
}

QString Words::operationState(const QString &state)
{
    if (state == QLatin1String("armed"))
        return tr("armed");
    if (state == QLatin1String("running"))
        return tr("running");
    if (state == QLatin1String("done"))
        return tr("done");
    if (state == QLatin1String("undone"))
        return tr("undone");
    if (state == QLatin1String("stopped"))
        return tr("stopped");
    if (state == QLatin1String("failed"))
        return tr("failed");
    return state;
}

QString Words::recipient(const DeliveryRecord &record)
{
    if (!record.addressMask.isEmpty())
        return record.addressMask;
    return record.user.isEmpty() ? QStringLiteral("–") : record.user.value;
}

QString Words::spoken(const DeliveryRecord &record, Timestamp now)
{
    return tr("%1, %2, %3 to %4, answer %5, %n attempt(s), %6", nullptr, record.attempts)
        .arg(state(record.state), record.type, channel(record.channel), recipient(record),
             answer(record.lastStatus, record.lastCode), Times::relative(record.createdAt, now));
}

QString Words::cappedCount(qint64 count)
{
    const QLocale locale;
    return count >= countCap ? tr("%1+").arg(locale.toString(countCap - 1)) : locale.toString(count);
}

QString Words::filterMistake(const QString &message)
{
    static const QRegularExpression shape(QStringLiteral("^filter, position (\\d+): (.*)$"),
                                          QRegularExpression::DotMatchesEverythingOption);
    const auto match = shape.match(message);
    return match.hasMatch() ? tr("Position %1: %2").arg(match.captured(1), match.captured(2)) : message;
}

namespace {

QTimeZone &shownZone()
{
    static QTimeZone zone = QTimeZone::utc();
    return zone;
}

QDateTime dateTimeOf(Timestamp time)
{
    return QDateTime::fromMSecsSinceEpoch(time.time_since_epoch().count(), shownZone());
}

} // namespace

void Times::setZone(const QTimeZone &zone)
{
    shownZone() = zone.isValid() ? zone : QTimeZone::utc();
}

QTimeZone Times::zone()
{
    return shownZone();
}

QString Times::relative(Timestamp time, Timestamp now)
{
    const bool isPast = time <= now;
    const qint64 seconds = (isPast ? now - time : time - now).count() / 1000;
    const auto say = [isPast](const QString &past, const QString &future) { return isPast ? past : future; };
    const auto in = [](qint64 count) { return QLocale().toString(count); };
    if (seconds < 5)
        return tr("just now");
    if (seconds < 60)
        return say(tr("%1 s ago"), tr("in %1 s")).arg(in(seconds));
    if (seconds < 3600)
        return say(tr("%1 min ago"), tr("in %1 min")).arg(in(seconds / 60));
    if (seconds < 48 * 3600)
        return say(tr("%1 h ago"), tr("in %1 h")).arg(in(seconds / 3600));
    return say(tr("%1 d ago"), tr("in %1 d")).arg(in(seconds / 86400));
}

QString Times::exact(Timestamp time)
{
    const QDateTime moment = dateTimeOf(time);
    return QStringLiteral("%1 %2").arg(moment.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                                       moment.timeZoneAbbreviation());
}

QString Times::clock(Timestamp time)
{
    return dateTimeOf(time).toString(QStringLiteral("HH:mm:ss"));
}

QString Times::duration(Milliseconds duration)
{
    const qint64 total = duration.count();
    if (total < 1000)
        return tr("%1 ms").arg(total);
    const qint64 seconds = (total + 500) / 1000;
    const auto two = [](const QString &big, qint64 count, const QString &small, qint64 rest) {
        return rest == 0 ? big.arg(count) : big.arg(count) + QChar(u' ') + small.arg(rest);
    };
    if (seconds < 60)
        return tr("%1 s").arg(seconds);
    if (seconds < 3600)
        return two(tr("%1 min"), seconds / 60, tr("%1 s"), seconds % 60);
    if (seconds < 48 * 3600)
        return two(tr("%1 h"), seconds / 3600, tr("%1 min"), seconds % 3600 / 60);
    return two(tr("%1 d"), seconds / 86400, tr("%1 h"), seconds % 86400 / 3600);
}

Timestamp Times::now()
{
    return std::chrono::time_point_cast<Milliseconds>(std::chrono::system_clock::now());
}

} // namespace sendoff::ui
