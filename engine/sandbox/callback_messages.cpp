#include "sandbox/callback_messages.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QUrl>

namespace sendoff::sandbox {

namespace {

using Event = CallbackEvent;

constexpr qint64 firstBounceId = 4'200'000'000;

QByteArray compact(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QStringList recipientsOf(const AcceptedMessage &message)
{
    return message.to.split(QStringLiteral(", "), Qt::SkipEmptyParts);
}

QString resendType(Event event)
{
    switch (event) {
    case Event::Sent:
        return QStringLiteral("email.sent");
    case Event::Delivered:
        return QStringLiteral("email.delivered");
    case Event::BouncedHard:
    case Event::BouncedSoft:
        return QStringLiteral("email.bounced");
    case Event::Complained:
        return QStringLiteral("email.complained");
    case Event::Failed:
        break;
    }
    return QStringLiteral("email.failed");
}

CallbackMessage resendMessage(const AcceptedMessage &message, Event event, qint64 number, Timestamp at)
{
    QJsonObject data{{QStringLiteral("created_at"), toRfc3339(message.at)},
                     {QStringLiteral("email_id"), message.id},
                     {QStringLiteral("from"), message.from},
                     {QStringLiteral("to"), QJsonArray::fromStringList(recipientsOf(message))},
                     {QStringLiteral("subject"), message.subject}};
    if (!message.labels.isEmpty())
        data.insert(QStringLiteral("tags"), message.labels);
    if (event == Event::BouncedHard || event == Event::BouncedSoft) {
        const bool isHard = event == Event::BouncedHard;
        data.insert(
            QStringLiteral("bounce"),
            QJsonObject{{QStringLiteral("type"), isHard ? QStringLiteral("Permanent") : QStringLiteral("Transient")},
                        {QStringLiteral("subType"), isHard ? QStringLiteral("NoEmail") : QStringLiteral("MailboxFull")},
                        {QStringLiteral("message"), QStringLiteral("Scripted.")},
                        {QStringLiteral("diagnosticCode"),
                         QJsonArray{isHard ? QStringLiteral("smtp; 550 5.1.1 no such user")
                                           : QStringLiteral("smtp; 452 4.2.2 mailbox full")}}});
    } else if (event == Event::Failed) {
        data.insert(QStringLiteral("failed"),
                    QJsonObject{{QStringLiteral("reason"), QStringLiteral("reached_daily_quota")}});
    }
    return {"msg_" + message.id.toLatin1() + '_' + QByteArray::number(number), "application/json",
            compact({{QStringLiteral("type"), resendType(event)},
                     {QStringLiteral("created_at"), toRfc3339(at)},
                     {QStringLiteral("data"), data}})};
}

void describeSendgrid(QJsonObject &object, Event event)
{
    const auto say = [&object](const char *name, const char *value) {
        object.insert(QLatin1String(name), QLatin1String(value));
    };
    switch (event) {
    case Event::Sent:
        return say("event", "processed");
    case Event::Delivered:
        say("event", "delivered");
        return say("response", "250 OK");
    case Event::BouncedHard:
        say("event", "bounce");
        say("type", "bounce");
        say("status", "5.1.1");
        return say("reason", "550 5.1.1 no such user");
    case Event::BouncedSoft:
        say("event", "bounce");
        say("type", "blocked");
        say("status", "4.7.1");
        return say("reason", "451 4.7.1 not now");
    case Event::Complained:
        return say("event", "spamreport");
    case Event::Failed:
        say("event", "dropped");
        return say("reason", "Spam Content");
    }
}

// An array, one event for each recipient, with the line end that the signature covers as well.
CallbackMessage sendgridMessage(const AcceptedMessage &message, Event event, qint64 number, Timestamp at)
{
    const qint64 seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
    const QString id = QStringLiteral("ev-%1-%2").arg(message.id).arg(number);
    QJsonArray events;
    for (const QString &recipient : recipientsOf(message)) {
        QJsonObject object = message.labels;
        object.insert(QStringLiteral("email"), recipient);
        object.insert(QStringLiteral("timestamp"), seconds);
        object.insert(QStringLiteral("sg_event_id"), QStringLiteral("%1-%2").arg(id).arg(events.size()));
        object.insert(QStringLiteral("sg_message_id"), message.id + QStringLiteral(".sandbox.0"));
        describeSendgrid(object, event);
        events.append(object);
    }
    return {id.toLatin1(), "application/json", QJsonDocument(events).toJson(QJsonDocument::Compact) + "\r\n"};
}

struct BounceType
{
    QLatin1String name;
    int code = 0;
    bool isInactive = false; // from now on Postmark refuses the address
};

BounceType bounceTypeOf(Event event)
{
    switch (event) {
    case Event::BouncedHard:
        return {QLatin1String("HardBounce"), 1, true};
    case Event::Complained:
        return {QLatin1String("SpamComplaint"), 100'001, true};
    case Event::Failed:
        return {QLatin1String("SMTPApiError"), 100'007, false};
    default:
        return {QLatin1String("SoftBounce"), 4096, false};
    }
}

std::optional<CallbackMessage> postmarkMessage(const AcceptedMessage &message, Event event, qint64 number, Timestamp at)
{
    if (event == Event::Sent)
        return std::nullopt;
    QJsonObject record{{QStringLiteral("MessageID"), message.id},
                       {QStringLiteral("ServerID"), 1},
                       {QStringLiteral("MessageStream"), QStringLiteral("outbound")},
                       {QStringLiteral("Metadata"), message.labels}};
    if (event == Event::Delivered) {
        record.insert(QStringLiteral("RecordType"), QStringLiteral("Delivery"));
        record.insert(QStringLiteral("Recipient"), message.to);
        record.insert(QStringLiteral("DeliveredAt"), toRfc3339(at));
        record.insert(QStringLiteral("Details"), QStringLiteral("smtp;250 ok"));
    } else {
        const BounceType type = bounceTypeOf(event);
        const bool isComplaint = event == Event::Complained;
        record.insert(QStringLiteral("RecordType"),
                      isComplaint ? QStringLiteral("SpamComplaint") : QStringLiteral("Bounce"));
        record.insert(QStringLiteral("ID"), firstBounceId + number);
        record.insert(QStringLiteral("Type"), type.name);
        record.insert(QStringLiteral("TypeCode"), type.code);
        record.insert(QStringLiteral("Name"), type.name);
        record.insert(QStringLiteral("Description"), QStringLiteral("Scripted."));
        record.insert(QStringLiteral("Email"), message.to);
        record.insert(QStringLiteral("From"), message.from);
        record.insert(QStringLiteral("Subject"), message.subject);
        record.insert(QStringLiteral("BouncedAt"), toRfc3339(at));
        record.insert(QStringLiteral("Inactive"), type.isInactive);
        record.insert(QStringLiteral("CanActivate"), !isComplaint);
    }
    return CallbackMessage{QByteArray::number(firstBounceId + number), "application/json", compact(record)};
}

std::optional<CallbackMessage> twilioMessage(const AcceptedMessage &message, const CallbackStep &step)
{
    QByteArray status;
    QByteArray code;
    switch (step.event) {
    case Event::Sent:
        status = "sent";
        break;
    case Event::Delivered:
        status = "delivered";
        break;
    case Event::BouncedHard:
        status = "undelivered";
        code = "30005";
        break;
    case Event::BouncedSoft:
        status = "undelivered";
        code = "30003";
        break;
    case Event::Failed:
        status = "failed";
        code = "30007";
        break;
    case Event::Complained:
        return std::nullopt;
    }
    if (!step.code.isEmpty())
        code = step.code;
    const QByteArray sid = message.id.toLatin1();
    QByteArray form = "MessageSid=" + sid + "&SmsSid=" + sid +
                      "&AccountSid=" + QUrl::toPercentEncoding(QString::fromUtf8(message.account)) +
                      "&From=" + QUrl::toPercentEncoding(message.from) + "&To=" + QUrl::toPercentEncoding(message.to) +
                      "&ApiVersion=2010-04-01&MessageStatus=" + status + "&SmsStatus=" + status;
    if (!code.isEmpty())
        form += "&ErrorCode=" + code;
    return CallbackMessage{sid + ':' + status, "application/x-www-form-urlencoded", form};
}

} // namespace

std::optional<CallbackMessage> callbackMessage(const AcceptedMessage &message, const CallbackStep &step, qint64 number,
                                               Timestamp at)
{
    if (message.provider == QLatin1String("resend"))
        return resendMessage(message, step.event, number, at);
    if (message.provider == QLatin1String("sendgrid"))
        return sendgridMessage(message, step.event, number, at);
    if (message.provider == QLatin1String("postmark"))
        return postmarkMessage(message, step.event, number, at);
    if (message.provider == QLatin1String("twilio"))
        return twilioMessage(message, step);
    return std::nullopt;
}

} // namespace sendoff::sandbox
