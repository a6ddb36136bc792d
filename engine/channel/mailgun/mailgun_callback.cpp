#include "channel/mailgun/mailgun_callback.h"

#include "channel/mail/mail_parts.h"
#include "channel/receipts/receipt_texts.h"
#include "channel/signatures/signatures.h"
#include <QJsonDocument>
#include <QJsonObject>

namespace sendoff::channel {

namespace {

QString text(const QJsonObject &object, const char *name)
{
    return object.value(QLatin1String(name)).toString();
}

QJsonObject object(const QJsonObject &parent, const char *name)
{
    return parent.value(QLatin1String(name)).toObject();
}

void readFailure(ProviderReceipt &receipt, const QJsonObject &event)
{
    const QString reason = text(event, "reason");
    receipt.providerCode = reason;
    if (text(event, "severity") == QLatin1String("temporary")) {
        receipt.kind = ReceiptKind::Delayed;
    } else if (reason.startsWith(QLatin1String("suppress-"))) {
        receipt.kind = ReceiptKind::Suppressed;
        suppress(receipt, reason == QLatin1String("suppress-unsubscribe") ? suppression::unsubscribe
                          : reason == QLatin1String("suppress-complaint") ? suppression::complaint
                                                                          : suppression::providerList);
    } else if (text(event, "severity") == QLatin1String("permanent")) {
        receipt.kind = ReceiptKind::BouncedHard;
        suppress(receipt, suppression::hardBounce);
    } else {
        receipt.kind = ReceiptKind::BouncedSoft;
    }
}

bool readEvent(ProviderReceipt &receipt, const QJsonObject &event)
{
    const QString name = text(event, "event");
    if (name == QLatin1String("accepted")) {
        receipt.kind = ReceiptKind::Queued;
    } else if (name == QLatin1String("delivered")) {
        receipt.kind = ReceiptKind::Delivered;
    } else if (name == QLatin1String("failed")) {
        readFailure(receipt, event);
    } else if (name == QLatin1String("rejected")) {
        receipt.kind = ReceiptKind::Failed;
    } else if (name == QLatin1String("opened")) {
        receipt.kind = ReceiptKind::Opened;
    } else if (name == QLatin1String("clicked")) {
        receipt.kind = ReceiptKind::Clicked;
    } else if (name == QLatin1String("unsubscribed")) {
        receipt.kind = ReceiptKind::Unsubscribed;
        suppress(receipt, suppression::unsubscribe);
    } else if (name == QLatin1String("complained")) {
        receipt.kind = ReceiptKind::Complained;
        suppress(receipt, suppression::complaint);
    } else {
        return false;
    }
    return true;
}

} // namespace

CallbackCheck verifyMailgun(const std::vector<QByteArray> &signingKeys, const CallbackRequest &request)
{
    using Verdict = CallbackCheck::Verdict;
    const QJsonObject signature = object(QJsonDocument::fromJson(request.body).object(), "signature");
    const QByteArray token = text(signature, "token").toUtf8();
    const QByteArray content = text(signature, "timestamp").toUtf8() + token;
    if (token.isEmpty() || content.size() == token.size())
        return {Verdict::Forged, QStringLiteral("it carries no signature")};
    bool isSigned = false;
    for (const QByteArray &key : signingKeys) {
        const QByteArray expected = hmac(QCryptographicHash::Sha256, key, content).toHex();
        for (const char *name : {"signature", "parent-signature"})
            isSigned = (!key.isEmpty() && equalInConstantTime(expected, text(signature, name).toUtf8())) || isSigned;
    }
    if (isSigned)
        return {Verdict::Genuine, {}};
    return {Verdict::Forged, QStringLiteral("the signature fits none of the signing keys")};
}

Result<std::vector<ProviderReceipt>> readMailgunReceipts(const CallbackRequest &request)
{
    const QJsonObject body = QJsonDocument::fromJson(request.body).object();
    const QJsonObject event = object(body, "event-data");
    if (text(event, "event").isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("the callback holds no event-data")};
    ProviderReceipt receipt;
    receipt.address = mailboxOf(text(event, "recipient")).address;
    if (!readEvent(receipt, event))
        return std::vector<ProviderReceipt>();
    receipt.eventId = text(object(body, "signature"), "token");
    receipt.messageId = text(object(object(event, "message"), "headers"), "message-id");
    receipt.delivery = DeliveryId(object(event, "user-variables").value(deliveryLabel()).toString());
    const QJsonObject status = object(event, "delivery-status");
    receipt.smtpCode = status.value(QLatin1String("code")).toInt();
    receipt.enhancedCode = text(status, "enhanced-code");
    const QString words = text(status, "message").isEmpty() ? text(status, "description") : text(status, "message");
    receipt.detail = receiptDetail(words, receipt.address);
    const double seconds = event.value(QLatin1String("timestamp")).toDouble();
    if (seconds > 0 && seconds < 1e11)
        receipt.occurredAt = Timestamp(Milliseconds(qint64(seconds * 1000)));
    return std::vector<ProviderReceipt>{receipt};
}

} // namespace sendoff::channel
