#include "channel/resend/resend_callback.h"

#include "channel/mail/mail_parts.h"
#include "channel/receipts/receipt_texts.h"
#include "channel/signatures/standard_webhooks.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace sendoff::channel {

namespace {

struct EventName
{
    const char *name;
    ReceiptKind kind;
};
constexpr EventName eventNames[] = {{"queued", ReceiptKind::Queued},
                                    {"scheduled", ReceiptKind::Scheduled},
                                    {"sent", ReceiptKind::Sent},
                                    {"delivered", ReceiptKind::Delivered},
                                    {"delivery_delayed", ReceiptKind::Delayed},
                                    {"bounced", ReceiptKind::BouncedSoft}, // for good only where its type says so
                                    {"complained", ReceiptKind::Complained},
                                    {"opened", ReceiptKind::Opened},
                                    {"clicked", ReceiptKind::Clicked},
                                    {"failed", ReceiptKind::Failed},
                                    {"suppressed", ReceiptKind::Suppressed},
                                    {"canceled", ReceiptKind::Canceled}};

QString text(const QJsonObject &object, const char *name)
{
    return object.value(QLatin1String(name)).toString();
}

void readDiagnostics(ProviderReceipt &receipt, const QJsonObject &details)
{
    for (const QJsonValue &line : details.value(QLatin1String("diagnosticCode")).toArray())
        readReplyCodes(receipt, line.toString());
    receipt.detail = receiptDetail(text(details, "message"), receipt.address);
}

// The event is described as a permanent refusal, but its type may say otherwise; older ones have no type.
void readBounce(ProviderReceipt &receipt, const QJsonObject &bounce)
{
    readDiagnostics(receipt, bounce);
    const QString type = text(bounce, "type");
    const QString subType = text(bounce, "subType");
    receipt.providerCode = subType.isEmpty() ? type : type + u'/' + subType;
    if (type != QLatin1String("Permanent"))
        return;
    const bool isListed =
        subType == QLatin1String("Suppressed") || subType == QLatin1String("OnAccountSuppressionList");
    receipt.kind = isListed ? ReceiptKind::Suppressed : ReceiptKind::BouncedHard;
    suppress(receipt, isListed ? suppression::providerList : suppression::hardBounce);
}

// Tags come as an object of names, in older events as a list of names and values.
QString tagOf(const QJsonValue &tags, const QString &name)
{
    for (const QJsonValue &tag : tags.toArray()) {
        if (text(tag.toObject(), "name") == name)
            return text(tag.toObject(), "value");
    }
    return tags.toObject().value(name).toString();
}

void readDetails(ProviderReceipt &receipt, const QJsonObject &mail)
{
    if (receipt.kind == ReceiptKind::BouncedSoft) {
        readBounce(receipt, mail.value(QLatin1String("bounce")).toObject());
    } else if (receipt.kind == ReceiptKind::Complained) {
        suppress(receipt, suppression::complaint);
    } else if (receipt.kind == ReceiptKind::Suppressed) {
        const QJsonObject details = mail.value(QLatin1String("suppressed")).toObject();
        readDiagnostics(receipt, details);
        receipt.providerCode = text(details, "reason");
        suppress(receipt, suppression::providerList);
    } else if (receipt.kind == ReceiptKind::Failed) {
        receipt.providerCode = text(mail.value(QLatin1String("failed")).toObject(), "reason").left(100);
    }
}

} // namespace

CallbackCheck verifyResend(const ProviderSettings &provider, const CallbackRequest &request, Timestamp now)
{
    return checkStandardWebhook("svix", provider.webhookSecrets, request, now);
}

std::optional<ReceiptKind> resendReceiptKind(const QString &event)
{
    for (const EventName &each : eventNames) {
        if (event == QLatin1String(each.name))
            return each.kind;
    }
    return std::nullopt;
}

Result<std::vector<ProviderReceipt>> readResendReceipts(const ProviderSettings &, const CallbackRequest &request)
{
    const QJsonObject event = QJsonDocument::fromJson(request.body).object();
    const QString type = text(event, "type");
    if (type.isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("the callback is no JSON object with a type")};
    const auto kind = type.startsWith(QLatin1String("email.")) ? resendReceiptKind(type.mid(6)) : std::nullopt;
    if (!kind)
        return std::vector<ProviderReceipt>();
    const QJsonObject mail = event.value(QLatin1String("data")).toObject();
    const QJsonArray recipients = mail.value(QLatin1String("to")).toArray();
    ProviderReceipt receipt;
    receipt.kind = *kind;
    // Of several it does not say which one it means.
    if (recipients.size() == 1)
        receipt.address = mailboxOf(recipients.at(0).toString()).address;
    receipt.eventId = QString::fromLatin1(request.header("svix-id"));
    receipt.messageId = text(mail, "email_id");
    receipt.delivery = DeliveryId(tagOf(mail.value(QLatin1String("tags")), deliveryLabel()));
    receipt.occurredAt = receiptTime(event.value(QLatin1String("created_at")));
    readDetails(receipt, mail);
    if (recipients.size() > 1) {
        receipt.suppresses = false;
        receipt.suppressReason.clear();
    }
    return std::vector<ProviderReceipt>{receipt};
}

} // namespace sendoff::channel
