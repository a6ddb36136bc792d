#include "channel/postmark/postmark_callback.h"

#include "channel/mail/mail_parts.h"
#include "channel/receipts/receipt_texts.h"
#include "channel/signatures/signatures.h"
#include <QCryptographicHash>
#include <QJsonDocument>
#include <QJsonObject>

namespace sendoff::channel {

namespace {

// A type of bounce, by its number where it has one.
struct BounceType
{
    const char *name;
    int code;
    ReceiptKind kind;
    const char *reason; // of a suppression, empty: none
};
constexpr BounceType bounceTypes[] = {{"HardBounce", 1, ReceiptKind::BouncedHard, "hard_bounce"},
                                      {"Transient", 2, ReceiptKind::Delayed, ""},
                                      {"Unsubscribe", 16, ReceiptKind::Unsubscribed, "unsubscribe"},
                                      {"Subscribe", 32, ReceiptKind::AutoReply, ""}, // a mail that asks for it
                                      {"AutoResponder", 64, ReceiptKind::AutoReply, ""},
                                      {"AddressChange", 128, ReceiptKind::AutoReply, ""},
                                      {"DnsError", 256, ReceiptKind::Delayed, ""},
                                      {"SpamNotification", 512, ReceiptKind::BouncedSoft, ""},
                                      {"OpenRelayTest", 1024, ReceiptKind::Failed, ""},
                                      {"Unknown", 2048, ReceiptKind::BouncedSoft, ""},
                                      {"SoftBounce", 4096, ReceiptKind::BouncedSoft, ""},
                                      {"VirusNotification", 8192, ReceiptKind::Failed, ""},
                                      {"ChallengeVerification", 16384, ReceiptKind::AutoReply, ""},
                                      {"BadEmailAddress", 100000, ReceiptKind::BouncedHard, "invalid_address"},
                                      {"SpamComplaint", 100001, ReceiptKind::Complained, "complaint"},
                                      {"ManuallyDeactivated", 100002, ReceiptKind::Suppressed, "provider_suppression"},
                                      {"Unconfirmed", 100003, ReceiptKind::Failed, ""},
                                      {"Blocked", 100006, ReceiptKind::BouncedSoft, ""},
                                      {"SMTPApiError", 100007, ReceiptKind::Failed, ""},
                                      {"InboundError", 100008, ReceiptKind::Failed, ""},
                                      {"DMARCPolicy", 100009, ReceiptKind::Failed, ""},
                                      {"TemplateRenderingFailed", 100010, ReceiptKind::Failed, ""}};

QString text(const QJsonObject &record, const char *name)
{
    return record.value(QLatin1String(name)).toString();
}

const BounceType *bounceType(const QJsonObject &record)
{
    const QString name = text(record, "Type");
    const qint64 code = record.value(QLatin1String("TypeCode")).toInteger(-1);
    for (const BounceType &type : bounceTypes) {
        if (name == QLatin1String(type.name) || (name.isEmpty() && code == type.code))
            return &type;
    }
    return nullptr;
}

void readBounce(ProviderReceipt &receipt, const QJsonObject &record)
{
    const BounceType *type = bounceType(record);
    receipt.kind = type ? type->kind : ReceiptKind::BouncedSoft;
    receipt.providerCode = text(record, "Type");
    if (type && *type->reason)
        suppress(receipt, QLatin1String(type->reason));
    else if (record.value(QLatin1String("Inactive")).toBool()) // Postmark will not send there again, whatever the type
        suppress(receipt, suppression::providerList);
    const QString words = text(record, "Details").isEmpty() ? text(record, "Description") : text(record, "Details");
    receipt.detail = receiptDetail(words, receipt.address);
}

void readSubscription(ProviderReceipt &receipt, const QJsonObject &record)
{
    receipt.providerCode = text(record, "SuppressionReason");
    if (!record.value(QLatin1String("SuppressSending")).toBool()) {
        receipt.kind = ReceiptKind::Resubscribed;
    } else if (receipt.providerCode == QLatin1String("SpamComplaint")) {
        receipt.kind = ReceiptKind::Complained;
        suppress(receipt, suppression::complaint);
    } else if (receipt.providerCode == QLatin1String("ManualSuppression") &&
               text(record, "Origin") == QLatin1String("Recipient")) {
        receipt.kind = ReceiptKind::Unsubscribed;
        suppress(receipt, suppression::unsubscribe);
    } else {
        receipt.kind = ReceiptKind::Suppressed;
        suppress(receipt, suppression::providerList);
    }
}

// The name of the record's time, nullptr for a record that is not known.
const char *readRecord(ProviderReceipt &receipt, const QJsonObject &record)
{
    const QString type = text(record, "RecordType");
    if (type == QLatin1String("Delivery")) {
        receipt.kind = ReceiptKind::Delivered;
        receipt.detail = receiptDetail(text(record, "Details"), receipt.address);
        return "DeliveredAt";
    }
    if (type == QLatin1String("Bounce") || type == QLatin1String("SpamComplaint")) {
        readBounce(receipt, record);
        if (type == QLatin1String("SpamComplaint")) {
            receipt.kind = ReceiptKind::Complained;
            suppress(receipt, suppression::complaint);
        }
        return "BouncedAt";
    }
    if (type == QLatin1String("Open") || type == QLatin1String("Click")) {
        receipt.kind = type == QLatin1String("Open") ? ReceiptKind::Opened : ReceiptKind::Clicked;
        return "ReceivedAt";
    }
    if (type == QLatin1String("SubscriptionChange")) {
        readSubscription(receipt, record);
        return "ChangedAt";
    }
    return nullptr;
}

// Bounces have an id of their own; of the others the same bytes are the same word.
QString eventIdOf(const QJsonObject &record, const QByteArray &body)
{
    if (const QJsonValue id = record.value(QLatin1String("ID")); id.isDouble())
        return QString::number(id.toInteger());
    const QByteArray hash = QCryptographicHash::hash(body, QCryptographicHash::Sha256).toHex().left(32);
    return text(record, "RecordType") + u':' + QString::fromLatin1(hash);
}

// Of changes that no message caused.
bool isNoMessage(const QString &id)
{
    return id == QLatin1String("00000000-0000-0000-0000-000000000000");
}

} // namespace

CallbackCheck verifyPostmark(const ProviderSettings &provider, const CallbackRequest &request, Timestamp)
{
    using Verdict = CallbackCheck::Verdict;
    const std::optional<QByteArray> given = basicCredentials(request.header("Authorization"));
    if (!given)
        return {Verdict::Forged, QStringLiteral("it carries no Basic credentials")};
    bool isKnown = false;
    for (const QByteArray &secret : provider.webhookSecrets) {
        const qsizetype colon = secret.indexOf(':');
        const bool isUsable = colon > 0 && colon < secret.size() - 1;
        isKnown = (equalInConstantTime(secret, *given) && isUsable) || isKnown;
    }
    if (isKnown)
        return {Verdict::Genuine, {}};
    return {Verdict::Forged, QStringLiteral("its user and password are none of the webhook_secrets")};
}

Result<std::vector<ProviderReceipt>> readPostmarkReceipts(const ProviderSettings &, const CallbackRequest &request)
{
    const QJsonObject record = QJsonDocument::fromJson(request.body).object();
    if (text(record, "RecordType").isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("the callback is no JSON object with a RecordType")};
    ProviderReceipt receipt;
    receipt.address = text(record, "Email").isEmpty() ? text(record, "Recipient") : text(record, "Email");
    const char *time = readRecord(receipt, record);
    if (!time)
        return std::vector<ProviderReceipt>();
    receipt.eventId = eventIdOf(record, request.body);
    receipt.messageId = isNoMessage(text(record, "MessageID")) ? QString() : text(record, "MessageID");
    receipt.delivery = DeliveryId(record.value(QLatin1String("Metadata")).toObject().value(deliveryLabel()).toString());
    receipt.occurredAt = receiptTime(record.value(QLatin1String(time)));
    return std::vector<ProviderReceipt>{receipt};
}

} // namespace sendoff::channel
