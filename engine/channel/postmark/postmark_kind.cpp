#include "channel/postmark/postmark_kind.h"

#include "channel/compose_checks.h"
#include "channel/mail/mail_parts.h"
#include "channel/postmark/postmark_answers.h"
#include "channel/postmark/postmark_callback.h"
#include "channel/receipts/receipt_texts.h"
#include "domain/json_document.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

namespace sendoff::channel {

namespace {

// Postmark takes 500 mails and 50 MB at once. So many of so large mails fit surely, and their answer is still read.
constexpr int batchSize = 50;
constexpr qsizetype maxMailBytes = 990'000;

Result<void> check(const ProviderSettings &provider)
{
    for (const QByteArray &secret : provider.webhookSecrets) {
        const qsizetype colon = secret.indexOf(':');
        if (colon <= 0 || colon == secret.size() - 1)
            return Error{ErrorCode::Invalid, QStringLiteral("webhook_secrets must be \"user:password\", as in the "
                                                            "webhook's address at Postmark")};
    }
    return {};
}

Result<QByteArray> compose(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    if (const auto checked = checkMail(provider, message, address, QStringLiteral("Postmark")); !checked)
        return checked.error();
    std::vector<JsonValue::Member> members{{QStringLiteral("From"), JsonValue::string(provider.from)},
                                           {QStringLiteral("To"), JsonValue::string(address)},
                                           {QStringLiteral("Subject"), JsonValue::string(message.subject)}};
    const auto add = [&members](const QString &name, const QString &value) {
        if (!value.isEmpty())
            members.emplace_back(name, JsonValue::string(value));
    };
    add(QStringLiteral("TextBody"), message.text);
    add(QStringLiteral("HtmlBody"), message.html);
    add(QStringLiteral("ReplyTo"), provider.options.value(QStringLiteral("reply_to")));
    add(QStringLiteral("MessageStream"), provider.options.value(QStringLiteral("message_stream")));
    std::vector<JsonValue> headers;
    for (const auto &[name, value] : unsubscribeHeaders(message))
        headers.push_back(JsonValue::object(
            {{QStringLiteral("Name"), JsonValue::string(name)}, {QStringLiteral("Value"), JsonValue::string(value)}}));
    if (!headers.empty())
        members.emplace_back(QStringLiteral("Headers"), JsonValue::array(std::move(headers)));
    members.emplace_back(QStringLiteral("Metadata"),
                         JsonValue::object({{deliveryLabel(), JsonValue::string(id.value)}}));
    QByteArray item = JsonValue::object(std::move(members)).toJson();
    if (item.size() > maxMailBytes)
        return Error{ErrorCode::Invalid, QStringLiteral("the mail has %1 bytes, %2 are sent at the most; shorten the "
                                                        "template or its values")
                                             .arg(item.size())
                                             .arg(maxMailBytes)};
    return item;
}

HttpRequest requestTo(const ProviderSettings &provider, const QString &path)
{
    HttpRequest made;
    made.url = endpoint(provider.baseUrl, path);
    made.headers = {
        {"X-Postmark-Server-Token", provider.apiKey}, {"User-Agent", userAgent()}, {"Accept", "application/json"}};
    return made;
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    if (items.size() == 1) {
        HttpRequest made = requestTo(provider, QStringLiteral("/email"));
        made.body = items.front().body;
        return made;
    }
    HttpRequest made = requestTo(provider, QStringLiteral("/email/batch"));
    made.body = "[";
    for (const OutgoingItem &item : items)
        made.body += item.body + ',';
    made.body.back() = ']';
    return made;
}

QString codeOf(const QJsonObject &body)
{
    const QJsonValue code = body.value(QLatin1String("ErrorCode"));
    return code.isDouble() ? QString::number(code.toInteger()) : QString();
}

// 300 is any fault of the request; only its text tells that the address is the fault.
void blameRecipient(AttemptResult &result)
{
    static const QRegularExpression field(QStringLiteral("'(To|Cc|Bcc)'"));
    if (result.code == QLatin1String("300") && field.match(result.text).hasMatch()) {
        result.outcome = Outcome::PermanentRecipient;
        result.suppresses = true;
    }
}

// "Message OK, but will not deliver to these inactive addresses: a, b. Inactive…" inside a success.
bool namesAsInactive(const QString &text, const QString &address)
{
    const qsizetype list = text.indexOf(QLatin1String("inactive addresses:"), 0, Qt::CaseInsensitive);
    if (list < 0 || address.isEmpty())
        return false;
    const QString names = text.mid(text.indexOf(u':', list) + 1);
    for (const QString &name : names.split(QRegularExpression(QStringLiteral("[\\s,]+")), Qt::SkipEmptyParts)) {
        const QString bare = name.endsWith(u'.') ? name.chopped(1) : name;
        if (bare.compare(address, Qt::CaseInsensitive) == 0)
            return true;
    }
    return false;
}

// One mail's part of an answer with status 200: accepted, or refused by its own ErrorCode.
AttemptResult resultOfItem(const HttpAnswer &answer, const QJsonObject &body, const OutgoingItem &item, Timestamp now)
{
    const QString code = codeOf(body);
    const QString text = body.value(QLatin1String("Message")).toString();
    AttemptResult result;
    result.status = answer.status;
    if (code.isEmpty()) {
        result.code = QStringLiteral("answer_without_code");
        result.text = unreadableBody(answer);
        return result; // Unknown: something on the way may have answered
    }
    if (code != QLatin1String("0")) {
        result = resultOfRefusal(postmarkRules, Repeats::NotKnown, answer, code, text, now);
        if (!ruleFor(postmarkRules, code))
            result.outcome = Outcome::PermanentMessage; // refused for certain, for a reason that is new
        blameRecipient(result);
        return result;
    }
    result.providerMessageId = body.value(QLatin1String("MessageID")).toString();
    if (namesAsInactive(text, item.address)) {
        result.outcome = Outcome::PermanentRecipient;
        result.suppresses = true;
        result.code = QStringLiteral("inactive_recipient");
        result.text = text;
    } else if (!result.providerMessageId.isEmpty()) {
        result.outcome = Outcome::Accepted;
    } else {
        result.code = QStringLiteral("answer_without_id");
        result.text = unreadableBody(answer);
    }
    return result;
}

std::vector<AttemptResult> resultsOfBatch(const HttpAnswer &answer, const std::vector<OutgoingItem> &items,
                                          Timestamp now)
{
    const QJsonArray given = QJsonDocument::fromJson(answer.body).array();
    if (size_t(given.size()) != items.size()) { // position is all that ties a part to its mail
        AttemptResult result;
        result.status = answer.status;
        result.code = QStringLiteral("answer_count");
        result.text = QStringLiteral("%1 results came for %2 mails").arg(given.size()).arg(items.size());
        return std::vector<AttemptResult>(items.size(), result);
    }
    std::vector<AttemptResult> results;
    for (size_t i = 0; i < items.size(); ++i)
        results.push_back(resultOfItem(answer, given.at(qsizetype(i)).toObject(), items[i], now));
    return results;
}

std::vector<AttemptResult> classify(const ProviderSettings &, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    if (const auto result = resultWithoutAnswer(answer))
        return std::vector<AttemptResult>(items.size(), *result);
    const QJsonObject body = jsonBody(answer);
    if (isSuccess(answer.status)) {
        // A batch of one is sent as a mail of its own, but an answer in the batch's form says as much.
        const bool isList = QJsonDocument::fromJson(answer.body).isArray();
        return items.size() == 1 && !isList ? std::vector<AttemptResult>{resultOfItem(answer, body, items.front(), now)}
                                            : resultsOfBatch(answer, items, now);
    }
    AttemptResult result = resultOfRefusal(postmarkRules, Repeats::NotKnown, answer, codeOf(body),
                                           body.value(QLatin1String("Message")).toString(), now);
    if (items.size() == 1) {
        blameRecipient(result);
    } else if (result.outcome == Outcome::PermanentRecipient) { // of a whole batch it names nobody
        result.outcome = Outcome::PermanentMessage;
        result.suppresses = false;
    }
    return std::vector<AttemptResult>(items.size(), result);
}

HttpRequest ask(const ProviderSettings &provider, const std::vector<OpenQuestion> &questions)
{
    const OpenQuestion &question = questions.front();
    const QString path = QStringLiteral("/messages/outbound");
    HttpRequest made;
    if (!question.messageId.isEmpty()) {
        made = requestTo(provider, path + u'/' + question.messageId + QStringLiteral("/details"));
    } else {
        made = requestTo(provider, path);
        QString query = QStringLiteral("count=5&offset=0&metadata_%1=%2").arg(deliveryLabel(), question.id.value);
        // Without it Postmark looks into its default stream only.
        if (const QString stream = provider.options.value(QStringLiteral("message_stream")); !stream.isEmpty())
            query += QStringLiteral("&messagestream=") + QString::fromLatin1(QUrl::toPercentEncoding(stream));
        made.url.setQuery(query, QUrl::StrictMode);
    }
    made.method = "GET";
    return made;
}

FoundMessage unclear(const QString &why)
{
    FoundMessage found;
    found.why = why;
    return found;
}

// The last thing that happened to the mail; opens and clicks say that it arrived.
ReceiptKind kindOf(const QJsonObject &message)
{
    ReceiptKind kind = ReceiptKind::Sent;
    const QString status = message.value(QLatin1String("Status")).toString();
    if (status == QLatin1String("Queued"))
        kind = ReceiptKind::Queued;
    else if (status == QLatin1String("Processed"))
        kind = ReceiptKind::Processed;
    for (const QJsonValue &value : message.value(QLatin1String("MessageEvents")).toArray()) {
        const QString type = value.toObject().value(QLatin1String("Type")).toString();
        if (type == QLatin1String("Bounced"))
            return ReceiptKind::BouncedSoft; // what kind of bounce is in its callback alone
        if (type == QLatin1String("Delivered") || type == QLatin1String("Opened") ||
            type == QLatin1String("LinkClicked"))
            kind = ReceiptKind::Delivered;
        else if (type == QLatin1String("Transient") && kind != ReceiptKind::Delivered)
            kind = ReceiptKind::Delayed;
    }
    return kind;
}

FoundMessage foundOf(const QJsonObject &message, const OpenQuestion &question)
{
    ProviderReceipt receipt;
    receipt.kind = kindOf(message);
    receipt.messageId = message.value(QLatin1String("MessageID")).toString();
    if (receipt.messageId.isEmpty())
        return unclear(QStringLiteral("Postmark's answer names no message"));
    receipt.eventId = QStringLiteral("asked:") + receipt.messageId + u':' + toText(receipt.kind);
    receipt.delivery = question.id;
    receipt.occurredAt = receiptTime(message.value(QLatin1String("ReceivedAt")));
    return {FoundMessage::Found::Yes, receipt, {}};
}

std::vector<FoundMessage> readFound(const ProviderSettings &, const std::vector<OpenQuestion> &questions,
                                    const HttpAnswer &answer, Timestamp)
{
    const OpenQuestion &question = questions.front();
    const QJsonObject body = jsonBody(answer);
    if (answer.fault != Fault::None || answer.status != 200)
        return {unclear(QStringLiteral("Postmark did not answer the question (HTTP %1)").arg(answer.status))};
    if (!question.messageId.isEmpty())
        return {foundOf(body, question)};
    const QJsonValue messages = body.value(QLatin1String("Messages"));
    if (!messages.isArray() || !body.value(QLatin1String("TotalCount")).isDouble())
        return {unclear(QStringLiteral("Postmark's answer holds no list of messages"))};
    if (messages.toArray().isEmpty() && body.value(QLatin1String("TotalCount")).toInteger() == 0)
        return {FoundMessage{FoundMessage::Found::No, {}, {}}};
    return {foundOf(messages.toArray().at(0).toObject(), question)};
}

} // namespace

const ProviderKind &postmarkKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("postmark");
        made.channel = Channel::Email;
        made.batch = batchSize;
        made.defaultBaseUrl = QStringLiteral("https://api.postmarkapp.com");
        made.needsKey = true;
        made.needsFrom = true;
        made.optionNames = QStringList{QStringLiteral("message_stream"), QStringLiteral("reply_to")};
        made.check = check;
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        made.ask = ask;
        made.readFound = readFound;
        made.indexingDelay = std::chrono::minutes(2);
        made.verify = verifyPostmark;
        made.receipts = readPostmarkReceipts;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
