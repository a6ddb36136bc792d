#include "channel/sendgrid/sendgrid_callback.h"

#include "channel/mail/mail_parts.h"
#include "channel/receipts/receipt_texts.h"
#include "channel/signatures/signatures.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <algorithm>

namespace sendoff::channel {

namespace {

struct PlainEvent
{
    const char *name;
    ReceiptKind kind;
};
constexpr PlainEvent plainEvents[] = {
    {"processed", ReceiptKind::Processed}, {"deferred", ReceiptKind::Delayed},
    {"delivered", ReceiptKind::Delivered}, {"open", ReceiptKind::Opened},
    {"click", ReceiptKind::Clicked},       {"group_resubscribe", ReceiptKind::Resubscribed}};

QString text(const QJsonObject &event, const char *name)
{
    const QJsonValue value = event.value(QLatin1String(name));
    return value.isDouble() ? QString::number(value.toInteger()) : value.toString();
}

// "bounce" is for good, "blocked" is not; of a type that is not known only a bad address is. A full mailbox empties.
void readBounce(ProviderReceipt &receipt, const QJsonObject &event)
{
    receipt.providerCode = text(event, "type");
    receipt.enhancedCode = text(event, "status");
    readReplyCodes(receipt, text(event, "reason"));
    const bool isFull = receipt.enhancedCode.endsWith(QLatin1String(".2.2"));
    const bool isBadAddress = receipt.enhancedCode.startsWith(QLatin1String("5.1."));
    const bool isHard = receipt.providerCode == QLatin1String("bounce") ||
                        (receipt.providerCode != QLatin1String("blocked") && isBadAddress);
    receipt.kind = isHard && !isFull ? ReceiptKind::BouncedHard : ReceiptKind::BouncedSoft;
    if (receipt.kind == ReceiptKind::BouncedHard)
        suppress(receipt, suppression::hardBounce);
}

// Only what concerns the address suppresses; the other reasons are about the content or the account.
void readDrop(ProviderReceipt &receipt, const QString &reason)
{
    receipt.providerCode = receiptDetail(reason, receipt.address).left(100);
    const auto is = [&reason](const char *word) {
        return reason.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
    };
    receipt.kind = ReceiptKind::Suppressed;
    if (is("Bounced Address"))
        suppress(receipt, suppression::providerList);
    else if (is("Unsubscribed Address"))
        suppress(receipt, suppression::unsubscribe);
    else if (is("Spam Reporting Address"))
        suppress(receipt, suppression::complaint);
    else if (is("Invalid"))
        suppress(receipt, suppression::invalidAddress);
    else
        receipt.kind = ReceiptKind::Failed;
}

bool readEvent(ProviderReceipt &receipt, const QJsonObject &event)
{
    const QString name = text(event, "event");
    for (const PlainEvent &plain : plainEvents) {
        if (name == QLatin1String(plain.name)) {
            receipt.kind = plain.kind;
            return true;
        }
    }
    if (name == QLatin1String("bounce")) {
        readBounce(receipt, event);
    } else if (name == QLatin1String("dropped")) {
        readDrop(receipt, text(event, "reason"));
    } else if (name == QLatin1String("spamreport")) {
        receipt.kind = ReceiptKind::Complained;
        suppress(receipt, suppression::complaint);
    } else if (name == QLatin1String("unsubscribe") || name == QLatin1String("group_unsubscribe")) {
        receipt.kind = ReceiptKind::Unsubscribed;
        suppress(receipt, suppression::unsubscribe);
    } else {
        return false;
    }
    return true;
}

std::optional<ProviderReceipt> receiptOf(const QJsonObject &event)
{
    ProviderReceipt receipt;
    receipt.address = text(event, "email");
    if (!readEvent(receipt, event))
        return std::nullopt;
    receipt.eventId = text(event, "sg_event_id");
    // Only what stands before the dot was in the answer to the send.
    receipt.messageId = text(event, "sg_message_id").section(u'.', 0, 0);
    receipt.delivery = DeliveryId(text(event, deliveryLabel().data()));
    receipt.group = text(event, "asm_group_id");
    receipt.isMachine = event.value(QLatin1String("sg_machine_open")).toBool();
    readReplyCodes(receipt, text(event, "response"));
    const QString words = text(event, "response").isEmpty() ? text(event, "reason") : text(event, "response");
    receipt.detail = receiptDetail(words, receipt.address);
    bool isNumber = false;
    const qint64 seconds = text(event, "timestamp").toLongLong(&isNumber);
    if (isNumber && seconds > 0 && seconds < 100'000'000'000)
        receipt.occurredAt = Timestamp(std::chrono::seconds(seconds));
    return receipt;
}

} // namespace

CallbackCheck verifySendgrid(const ProviderSettings &provider, const CallbackRequest &request, Timestamp)
{
    using Verdict = CallbackCheck::Verdict;
    const QByteArray timestamp = request.header("X-Twilio-Email-Event-Webhook-Timestamp");
    const auto signature = strictBase64(request.header("X-Twilio-Email-Event-Webhook-Signature"));
    if (timestamp.isEmpty() || !signature || signature->isEmpty())
        return {Verdict::Forged, QStringLiteral("a header of the signature is missing or no base64")};
    const bool isSigned =
        std::any_of(provider.webhookSecrets.begin(), provider.webhookSecrets.end(),
                    [&](const QByteArray &key) { return isSignedByP256(key, timestamp + request.body, *signature); });
    if (isSigned)
        return {Verdict::Genuine, {}};
    return {Verdict::Forged, QStringLiteral("the signature fits none of the webhook_secrets, which must be SendGrid's "
                                            "verification keys")};
}

Result<std::vector<ProviderReceipt>> readSendgridReceipts(const ProviderSettings &, const CallbackRequest &request)
{
    const QJsonDocument document = QJsonDocument::fromJson(request.body);
    if (!document.isArray())
        return Error{ErrorCode::Invalid, QStringLiteral("the callback is no JSON array of events")};
    std::vector<ProviderReceipt> receipts;
    QSet<QString> seen;
    for (const QJsonValue &value : document.array()) {
        const std::optional<ProviderReceipt> receipt = receiptOf(value.toObject());
        if (!receipt || (!receipt->eventId.isEmpty() && seen.contains(receipt->eventId)))
            continue;
        seen.insert(receipt->eventId);
        receipts.push_back(*receipt);
    }
    return receipts;
}

} // namespace sendoff::channel
