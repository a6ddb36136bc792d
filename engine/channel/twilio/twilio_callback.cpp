#include "channel/twilio/twilio_callback.h"

#include "channel/mail/mail_parts.h"
#include "channel/receipts/receipt_texts.h"
#include "channel/signatures/signatures.h"
#include "channel/twilio/twilio_answers.h"
#include <QUrlQuery>
#include <algorithm>
#include <map>
#include <set>

namespace sendoff::channel {

namespace {

// Names in the order of their bytes, the values of a repeated one each once.
using Form = std::map<QByteArray, std::set<QByteArray>>;

QByteArray formDecoded(QByteArray text)
{
    return QByteArray::fromPercentEncoding(text.replace('+', ' '));
}

Form formOf(const QByteArray &body)
{
    Form form;
    for (const QByteArray &pair : body.split('&')) {
        const qsizetype equals = pair.indexOf('=');
        if (!pair.isEmpty())
            form[formDecoded(pair.left(equals < 0 ? pair.size() : equals))].insert(
                equals < 0 ? QByteArray() : formDecoded(pair.mid(equals + 1)));
    }
    return form;
}

QString valueOf(const Form &form, const char *name)
{
    const auto found = form.find(name);
    return found == form.end() || found->second.empty() ? QString() : QString::fromUtf8(*found->second.begin());
}

// The raw value of a parameter of the URL; its form must not be changed by reading it.
QByteArray queryValue(const QByteArray &url, const QByteArray &name)
{
    const qsizetype mark = url.indexOf('?');
    if (mark < 0)
        return {};
    for (const QByteArray &pair : url.mid(mark + 1).split('&')) {
        if (pair.startsWith(name + '='))
            return pair.mid(name.size() + 1);
    }
    return {};
}

// Twilio signs some URLs with their port and some without: as it was requested, without any, with the default one.
// Text work only, because everything else of the URL must stay as it is.
std::vector<QByteArray> spellingsOf(const QByteArray &requested)
{
    const QByteArray url = requested.left(requested.contains('#') ? requested.indexOf('#') : requested.size());
    const qsizetype scheme = url.indexOf("://");
    if (scheme < 0)
        return {url};
    const qsizetype begin = scheme + 3;
    const auto isEnd = [](char each) { return each == '/' || each == '?'; };
    const qsizetype end = std::find_if(url.begin() + begin, url.end(), isEnd) - url.begin();
    const QByteArray authority = url.mid(begin, end - begin);
    const qsizetype colon = authority.lastIndexOf(':');
    const bool hasPort = colon > authority.lastIndexOf('@') && colon > authority.lastIndexOf(']');
    const QByteArray host = hasPort ? authority.left(colon) : authority;
    const QByteArray port = url.left(scheme).compare("https", Qt::CaseInsensitive) == 0 ? ":443" : ":80";
    const QByteArray before = url.left(begin);
    const QByteArray after = url.mid(end);
    std::vector<QByteArray> spellings{url, before + host + after};
    if (!hasPort)
        spellings.push_back(before + host + port + after);
    return spellings;
}

QByteArray parametersOf(const Form &form)
{
    QByteArray signedText;
    for (const auto &[name, values] : form) {
        for (const QByteArray &value : values)
            signedText += name + value;
    }
    return signedText;
}

// The newer form: a header names algorithm and key, and the secret is another one than the account's token. Nothing
// where it names an algorithm that is not known.
std::optional<QCryptographicHash::Algorithm> algorithmOf(const CallbackRequest &request)
{
    const QByteArray settings = request.header("X-Twilio-Webhooks-Signature-Settings");
    if (settings.isEmpty())
        return QCryptographicHash::Sha1;
    for (const QByteArray &part : settings.split(',')) {
        if (part.trimmed() == "algorithm=HMAC_SHA256")
            return QCryptographicHash::Sha256;
    }
    return std::nullopt;
}

std::vector<QByteArray> tokensOf(const ProviderSettings &provider)
{
    std::vector<QByteArray> tokens = provider.webhookSecrets;
    if (!provider.options.contains(QStringLiteral("key_sid"))) // then it is an API key, which signs nothing
        tokens.push_back(provider.apiKey);
    std::erase_if(tokens, [](const QByteArray &token) { return token.isEmpty(); });
    return tokens;
}

bool isForm(const CallbackRequest &request)
{
    const QByteArray type = request.header("Content-Type").split(';').front().trimmed().toLower();
    return type == "application/x-www-form-urlencoded" ||
           (type.isEmpty() && queryValue(request.url, "bodySHA256").isEmpty());
}

ProviderReceipt receiptOfKind(ReceiptKind kind)
{
    ProviderReceipt receipt;
    receipt.kind = kind;
    return receipt;
}

ProviderReceipt failureReceipt(bool wasHandedToCarrier, const QString &errorCode)
{
    const AnswerRule *rule = ruleFor(twilioReceiptRules, errorCode);
    if (!rule)
        rule = ruleFor(twilioRules, errorCode);
    ProviderReceipt receipt = receiptOfKind(wasHandedToCarrier ? ReceiptKind::BouncedSoft : ReceiptKind::Failed);
    receipt.providerCode = errorCode;
    if (errorCode == QLatin1String("21610")) { // STOP
        receipt.kind = ReceiptKind::Suppressed;
        suppress(receipt, suppression::unsubscribe);
    } else if (rule && rule->outcome == Outcome::PermanentRecipient) {
        receipt.kind = ReceiptKind::BouncedHard;
        if (rule->suppresses)
            suppress(receipt, suppression::hardBounce);
    } else if (rule && rule->outcome == Outcome::Transient) {
        receipt.kind = ReceiptKind::BouncedSoft;
    } else if (rule && rule->outcome != Outcome::Accepted && rule->outcome != Outcome::Unknown) {
        receipt.kind = ReceiptKind::Failed; // ours or the carrier's, nothing against the number
    }
    return receipt;
}

} // namespace

CallbackCheck verifyTwilio(const ProviderSettings &provider, const CallbackRequest &request, Timestamp)
{
    using Verdict = CallbackCheck::Verdict;
    const QByteArray signature = request.header("X-Twilio-Signature");
    const auto algorithm = algorithmOf(request);
    if (signature.isEmpty() || !algorithm)
        return {Verdict::Forged, QStringLiteral("the signature is missing or of an unknown algorithm")};
    QByteArray parameters;
    if (request.method != "GET" && isForm(request)) {
        parameters = parametersOf(formOf(request.body));
    } else if (request.method != "GET") {
        const QByteArray hash = QCryptographicHash::hash(request.body, QCryptographicHash::Sha256).toHex();
        if (!equalInConstantTime(queryValue(request.url, "bodySHA256"), hash))
            return {Verdict::Forged, QStringLiteral("the body is not the one whose hash was signed")};
    }
    bool isSigned = false;
    for (const QByteArray &token : tokensOf(provider)) {
        for (const QByteArray &url : spellingsOf(request.url))
            isSigned = equalInConstantTime(hmac(*algorithm, token, url + parameters).toBase64(), signature) || isSigned;
    }
    if (isSigned)
        return {Verdict::Genuine, {}};
    return {Verdict::Forged, QStringLiteral("the signature fits neither the token nor any webhook secret; look whether "
                                            "http.public_url is the address that Twilio calls")};
}

std::optional<ProviderReceipt> twilioReceipt(const QString &status, const QString &errorCode)
{
    static const std::map<QString, ReceiptKind> kinds{{QStringLiteral("queued"), ReceiptKind::Queued},
                                                      {QStringLiteral("accepted"), ReceiptKind::Queued},
                                                      {QStringLiteral("scheduled"), ReceiptKind::Scheduled},
                                                      {QStringLiteral("sending"), ReceiptKind::Sending},
                                                      {QStringLiteral("sent"), ReceiptKind::Sent},
                                                      {QStringLiteral("partially_delivered"), ReceiptKind::Sent},
                                                      {QStringLiteral("delivered"), ReceiptKind::Delivered},
                                                      {QStringLiteral("read"), ReceiptKind::Opened},
                                                      {QStringLiteral("canceled"), ReceiptKind::Canceled}};
    if (status == QLatin1String("undelivered") || status == QLatin1String("failed"))
        return failureReceipt(status == QLatin1String("undelivered"), errorCode);
    const auto found = kinds.find(status);
    if (found == kinds.end())
        return std::nullopt;
    ProviderReceipt receipt = receiptOfKind(found->second);
    receipt.providerCode = errorCode; // a warning where there is one
    return receipt;
}

Result<std::vector<ProviderReceipt>> readTwilioReceipts(const ProviderSettings &, const CallbackRequest &request)
{
    const Form form = formOf(request.body);
    const auto either = [&form](const char *name, const char *older) {
        const QString value = valueOf(form, name);
        return value.isEmpty() ? valueOf(form, older) : value;
    };
    const QString message = either("MessageSid", "SmsSid");
    const QString status = either("MessageStatus", "SmsStatus");
    if (message.isEmpty() || status.isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("the callback names no MessageSid or no MessageStatus")};
    std::optional<ProviderReceipt> receipt = twilioReceipt(status, valueOf(form, "ErrorCode"));
    if (!receipt)
        return std::vector<ProviderReceipt>();
    receipt->eventId = message + u':' + status;
    receipt->messageId = message;
    receipt->delivery = DeliveryId(QString::fromUtf8(queryValue(request.url, QByteArray(deliveryLabel().data()))));
    receipt->address = valueOf(form, "To");
    receipt->detail = receiptDetail(valueOf(form, "ErrorMessage"), receipt->address);
    return std::vector<ProviderReceipt>{*receipt};
}

} // namespace sendoff::channel
