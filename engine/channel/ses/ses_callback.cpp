#include "channel/ses/ses_callback.h"

#include "channel/mail/mail_parts.h"
#include "channel/receipts/receipt_texts.h"
#include "channel/signatures/signatures.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

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

QJsonObject envelopeOf(const CallbackRequest &request)
{
    return QJsonDocument::fromJson(request.body).object();
}

bool isAmazons(const QUrl &url)
{
    static const QRegularExpression host(QStringLiteral("^sns\\.[a-zA-Z0-9-]{3,}\\.amazonaws\\.com(\\.cn)?$"));
    return url.isValid() && url.scheme() == QLatin1String("https") && url.userInfo().isEmpty() &&
           (url.port() == -1 || url.port() == 443) && host.match(url.host()).hasMatch();
}

// Names and decoded values, a line each, in this order. Empty for a type that is not known.
QByteArray signedText(const QJsonObject &envelope)
{
    const QString type = text(envelope, "Type");
    std::vector<const char *> names;
    if (type == QLatin1String("Notification"))
        names = {"Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"};
    else if (type == QLatin1String("SubscriptionConfirmation") || type == QLatin1String("UnsubscribeConfirmation"))
        names = {"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"};
    QByteArray lines;
    for (const char *name : names) {
        if (envelope.value(QLatin1String(name)).isString())
            lines += QByteArray(name) + '\n' + text(envelope, name).toUtf8() + '\n';
    }
    return lines;
}

bool agrees(const CallbackRequest &request, const QByteArray &header, const QString &value)
{
    const QByteArray given = request.header(header);
    return given.isEmpty() || given == value.toUtf8();
}

struct Addressee
{
    QString address;
    QJsonObject details;
};

// The recipients of an event: strings, or objects with an emailAddress.
std::vector<Addressee> addressees(const QJsonValue &list)
{
    std::vector<Addressee> read;
    for (const QJsonValue &value : list.toArray()) {
        const QJsonObject details = value.toObject();
        const QString written = value.isString() ? value.toString() : text(details, "emailAddress");
        read.push_back({mailboxOf(written).address, details});
    }
    return read;
}

void readBounce(ProviderReceipt &receipt, const QJsonObject &bounce)
{
    const QString type = text(bounce, "bounceType");
    const QString subType = text(bounce, "bounceSubType");
    receipt.providerCode = type + u'/' + subType;
    receipt.kind = ReceiptKind::BouncedSoft;
    if (type != QLatin1String("Permanent"))
        return;
    const bool isListed =
        subType == QLatin1String("Suppressed") || subType == QLatin1String("OnAccountSuppressionList");
    receipt.kind = isListed ? ReceiptKind::Suppressed : ReceiptKind::BouncedHard;
    suppress(receipt, isListed ? suppression::providerList : suppression::hardBounce);
}

void readComplaint(ProviderReceipt &receipt, const QJsonObject &complaint)
{
    receipt.providerCode = text(complaint, "complaintFeedbackType");
    if (receipt.providerCode == QLatin1String("not-spam")) {
        receipt.kind = ReceiptKind::ComplaintWithdrawn;
    } else if (text(complaint, "complaintSubType") == QLatin1String("OnAccountSuppressionList")) {
        receipt.kind = ReceiptKind::Suppressed;
        suppress(receipt, suppression::providerList);
    } else {
        receipt.kind = ReceiptKind::Complained;
        suppress(receipt, suppression::complaint);
    }
}

// What an event says of one recipient, and where in it the recipients and the time are.
struct EventForm
{
    const char *type;
    const char *part;       // the member with the event's own facts
    const char *recipients; // in it; empty: those of the mail
    ReceiptKind kind;
};
constexpr EventForm eventForms[] = {{"Send", "send", "", ReceiptKind::Sent},
                                    {"Delivery", "delivery", "recipients", ReceiptKind::Delivered},
                                    {"Bounce", "bounce", "bouncedRecipients", ReceiptKind::BouncedSoft},
                                    {"Complaint", "complaint", "complainedRecipients", ReceiptKind::Complained},
                                    {"Reject", "reject", "", ReceiptKind::Failed},
                                    {"Rendering Failure", "failure", "", ReceiptKind::Failed},
                                    {"DeliveryDelay", "deliveryDelay", "delayedRecipients", ReceiptKind::Delayed},
                                    {"Open", "open", "", ReceiptKind::Opened},
                                    {"Click", "click", "", ReceiptKind::Clicked}};

const EventForm *formOf(const QJsonObject &event)
{
    const QString type =
        text(event, "eventType").isEmpty() ? text(event, "notificationType") : text(event, "eventType");
    for (const EventForm &form : eventForms) {
        if (type == QLatin1String(form.type))
            return &form;
    }
    return nullptr;
}

ProviderReceipt receiptOf(const EventForm &form, const QJsonObject &mail, const QJsonObject &part,
                          const Addressee &addressee)
{
    ProviderReceipt receipt;
    receipt.kind = form.kind;
    receipt.address = addressee.address;
    receipt.messageId = text(mail, "messageId");
    const QJsonArray ids = object(mail, "tags").value(deliveryLabel()).toArray();
    receipt.delivery = DeliveryId(ids.at(0).toString());
    receipt.occurredAt = receiptTime(part.value(QLatin1String("timestamp")));
    if (!receipt.occurredAt)
        receipt.occurredAt = receiptTime(mail.value(QLatin1String("timestamp")));
    if (form.kind == ReceiptKind::BouncedSoft)
        readBounce(receipt, part);
    else if (form.kind == ReceiptKind::Complained)
        readComplaint(receipt, part);
    receipt.enhancedCode = text(addressee.details, "status");
    const QString diagnosis = text(addressee.details, "diagnosticCode");
    const QString answer = text(part, "smtpResponse");
    const QString reason = text(part, "reason").isEmpty() ? text(part, "errorMessage") : text(part, "reason");
    readReplyCodes(receipt, diagnosis.isEmpty() ? answer : diagnosis);
    receipt.detail =
        receiptDetail(diagnosis.isEmpty() ? (answer.isEmpty() ? reason : answer) : diagnosis, receipt.address);
    return receipt;
}

} // namespace

Result<QUrl> sesCertificateUrl(const CallbackRequest &request)
{
    const QUrl url(text(envelopeOf(request), "SigningCertURL"), QUrl::StrictMode);
    if (isAmazons(url) && url.path().endsWith(QLatin1String(".pem")))
        return url;
    return Error{ErrorCode::Invalid, QStringLiteral("the callback's certificate is not at Amazon SNS")};
}

CallbackCheck verifySes(const QByteArray &certificatePem, const QString &topicArn, const CallbackRequest &request)
{
    using Verdict = CallbackCheck::Verdict;
    const QJsonObject envelope = envelopeOf(request);
    const QByteArray content = signedText(envelope);
    const QString version = text(envelope, "SignatureVersion");
    const std::optional<QByteArray> signature = strictBase64(text(envelope, "Signature").toLatin1());
    if (content.isEmpty() || !signature || (version != QLatin1String("1") && version != QLatin1String("2")))
        return {Verdict::Malformed, QStringLiteral("it is no message of Amazon SNS in a form that is known")};
    if (!agrees(request, "x-amz-sns-message-type", text(envelope, "Type")) ||
        !agrees(request, "x-amz-sns-message-id", text(envelope, "MessageId")))
        return {Verdict::Malformed, QStringLiteral("its headers and its body contradict each other")};
    if (const auto url = sesCertificateUrl(request); !url)
        return {Verdict::Forged, url.error().message};
    const auto algorithm = version == QLatin1String("1") ? QCryptographicHash::Sha1 : QCryptographicHash::Sha256;
    if (!isSignedByCertificate(certificatePem, algorithm, content, *signature))
        return {Verdict::Forged, QStringLiteral("the signature does not fit its certificate")};
    if (topicArn.isEmpty() || text(envelope, "TopicArn") != topicArn)
        return {Verdict::Forged, QStringLiteral("it comes from a topic that is not ours")};
    return {Verdict::Genuine, {}};
}

QUrl sesConfirmationUrl(const CallbackRequest &request)
{
    const QJsonObject envelope = envelopeOf(request);
    const QUrl url(text(envelope, "SubscribeURL"), QUrl::StrictMode);
    const bool isConfirmation = text(envelope, "Type") == QLatin1String("SubscriptionConfirmation");
    return isConfirmation && isAmazons(url) ? url : QUrl();
}

Result<std::vector<ProviderReceipt>> readSesReceipts(const CallbackRequest &request)
{
    const QJsonObject envelope = envelopeOf(request);
    if (text(envelope, "Type").isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("the callback is no message of Amazon SNS")};
    std::vector<ProviderReceipt> receipts;
    if (text(envelope, "Type") != QLatin1String("Notification"))
        return receipts;
    // Once, after the set-up, it is a sentence instead of JSON.
    const QJsonObject event = QJsonDocument::fromJson(text(envelope, "Message").toUtf8()).object();
    const EventForm *form = formOf(event);
    if (!form)
        return receipts;
    const QJsonObject mail = object(event, "mail");
    const QJsonObject part = object(event, form->part);
    const QJsonValue recipients =
        *form->recipients ? part.value(QLatin1String(form->recipients)) : mail.value(QLatin1String("destination"));
    for (const Addressee &addressee : addressees(recipients)) {
        ProviderReceipt receipt = receiptOf(*form, mail, part, addressee);
        receipt.eventId = text(envelope, "MessageId");
        receipts.push_back(std::move(receipt));
    }
    return receipts;
}

} // namespace sendoff::channel
