#include "channel/expo/expo_kind.h"

#include "channel/compose_checks.h"
#include "channel/expo/expo_answers.h"
#include "domain/json_document.h"
#include <QJsonArray>

namespace sendoff::channel {

namespace {

constexpr qsizetype maxItemBytes = 4096;

Result<QByteArray> compose(const ProviderSettings &, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    if (const auto checked = checkComposition(Channel::Push, message, address); !checked)
        return checked.error();
    if (message.title.isEmpty() && message.text.isEmpty())
        return invalid(QStringLiteral("the message has neither title nor text; give the template one of them"));

    std::vector<JsonValue::Member> members{{QStringLiteral("to"), JsonValue::string(address)}};
    if (!message.title.isEmpty())
        members.emplace_back(QStringLiteral("title"), JsonValue::string(message.title));
    if (!message.text.isEmpty())
        members.emplace_back(QStringLiteral("body"), JsonValue::string(message.text));
    if (!message.link.isEmpty())
        members.emplace_back(QStringLiteral("data"),
                             JsonValue::object({{QStringLiteral("url"), JsonValue::string(message.link)}}));
    // Expo knows no keys. With these a second copy replaces the first one on the device instead of standing beside it.
    members.emplace_back(QStringLiteral("collapseId"), JsonValue::string(id.value)); // Apple
    members.emplace_back(QStringLiteral("tag"), JsonValue::string(id.value));        // Android
    QByteArray item = JsonValue::object(std::move(members)).toJson();
    if (item.size() > maxItemBytes)
        return invalid(QStringLiteral("the notification is %1 bytes, Expo takes %2; shorten title and text")
                           .arg(item.size())
                           .arg(maxItemBytes));
    return item;
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    HttpRequest made;
    made.url = endpoint(provider.baseUrl, QStringLiteral("/--/api/v2/push/send"));
    made.headers = {{"User-Agent", userAgent()}, {"Accept", "application/json"}};
    if (!provider.apiKey.isEmpty())
        made.headers.emplace_back("Authorization", "Bearer " + provider.apiKey);
    // Always an array: for a single object Expo answers in another form.
    made.body = "[";
    for (const OutgoingItem &item : items)
        made.body += item.body + ',';
    made.body.back() = ']';
    return made;
}

AttemptResult unknown(const HttpAnswer &answer, const QString &code, const QString &text)
{
    AttemptResult result;
    result.outcome = Outcome::Unknown;
    result.status = answer.status;
    result.code = code;
    result.text = text;
    return result;
}

// The push service's own error inside a ProviderError: {error: "ProviderError", fault: "fcm", fcm: {error: …}}.
QString innerError(const QJsonObject &details)
{
    const QString fault = details.value(QLatin1String("fault")).toString();
    const QJsonObject inner = details.value(fault).toObject();
    const QString error = inner.value(QLatin1String("error")).toString();
    return error.isEmpty() ? inner.value(QLatin1String("reason")).toString() : error;
}

AttemptResult resultOfTicket(const HttpAnswer &answer, const QJsonObject &ticket)
{
    AttemptResult result;
    result.status = answer.status;
    if (ticket.value(QLatin1String("status")) == QLatin1String("ok")) {
        result.providerMessageId = ticket.value(QLatin1String("id")).toString();
        const bool hasId = !result.providerMessageId.isEmpty();
        result.outcome = hasId ? Outcome::Accepted : Outcome::Unknown;
        if (!hasId)
            result.code = QStringLiteral("ticket_without_id");
        return result;
    }
    const QJsonObject details = ticket.value(QLatin1String("details")).toObject();
    result.code = details.value(QLatin1String("error")).toString();
    result.text = ticket.value(QLatin1String("message")).toString();
    const AnswerRule *rule = ruleFor(expoTicketRules, result.code);
    if (result.code == QLatin1String("ProviderError")) {
        const QString inner = innerError(details);
        if (const AnswerRule *innerRule = ruleFor(expoTicketRules, inner)) {
            rule = innerRule;
            result.code = inner;
        }
    }
    // A name that we don't know says that this one was refused, and nothing about the device.
    result.outcome = Outcome::PermanentMessage;
    if (rule)
        apply(*rule, result);
    if (result.code.isEmpty())
        result.code = QStringLiteral("ticket_error");
    return result;
}

// Position is all that ties a ticket to its message, so a ticket that names another device, or is none, makes every
// position doubtful.
bool isTicketOf(const QJsonValue &ticket, const OutgoingItem &item)
{
    const QJsonObject object = ticket.toObject();
    const QString status = object.value(QLatin1String("status")).toString();
    if (status != QLatin1String("ok") && status != QLatin1String("error"))
        return false;
    const QJsonValue named = object.value(QLatin1String("details")).toObject().value(QLatin1String("expoPushToken"));
    return !named.isString() || named.toString() == item.address;
}

QJsonArray tickets(const QJsonObject &body, size_t asked)
{
    const QJsonValue value = body.value(QLatin1String("data"));
    if (value.isObject() && asked == 1)
        return {value};
    return value.toArray();
}

std::vector<AttemptResult> resultsOfTickets(const std::vector<OutgoingItem> &items, const HttpAnswer &answer,
                                            const QJsonArray &given)
{
    if (size_t(given.size()) != items.size()) {
        const QString text = QStringLiteral("%1 tickets came for %2 notifications").arg(given.size()).arg(items.size());
        return std::vector<AttemptResult>(items.size(), unknown(answer, QStringLiteral("ticket_count"), text));
    }
    std::vector<AttemptResult> results;
    for (size_t i = 0; i < items.size(); ++i) {
        const QJsonValue ticket = given.at(qsizetype(i));
        if (!isTicketOf(ticket, items[i])) {
            const QString text = QStringLiteral("ticket %1 does not belong to its notification").arg(i + 1);
            return std::vector<AttemptResult>(items.size(),
                                              unknown(answer, QStringLiteral("ticket_contradiction"), text));
        }
        results.push_back(resultOfTicket(answer, ticket.toObject()));
    }
    return results;
}

AttemptResult resultOfRequest(const HttpAnswer &answer, const QJsonObject &body, Timestamp now)
{
    const QJsonObject error = body.value(QLatin1String("errors")).toArray().at(0).toObject();
    return resultOfRefusal(expoRequestRules, Repeats::NotKnown, answer, error.value(QLatin1String("code")).toString(),
                           error.value(QLatin1String("message")).toString(), now);
}

std::vector<AttemptResult> classify(const ProviderSettings &, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    const auto forAll = [&items](const AttemptResult &result) {
        return std::vector<AttemptResult>(items.size(), result);
    };
    if (const auto result = resultWithoutAnswer(answer))
        return forAll(*result);
    const QJsonObject body = jsonBody(answer);
    const bool hasErrors = !body.value(QLatin1String("errors")).toArray().isEmpty();
    const bool hasTickets = !tickets(body, items.size()).isEmpty();
    if (hasErrors && hasTickets)
        return forAll(unknown(answer, QStringLiteral("errors_and_tickets"),
                              QStringLiteral("the answer holds both tickets and errors of the whole request")));
    if (hasErrors || !isSuccess(answer.status))
        return forAll(resultOfRequest(answer, body, now));
    if (!body.contains(QLatin1String("data")))
        return forAll(unknown(answer, QStringLiteral("answer_without_tickets"), unreadableBody(answer)));
    return resultsOfTickets(items, answer, tickets(body, items.size()));
}

HttpRequest ask(const ProviderSettings &provider, const std::vector<OpenQuestion> &questions)
{
    HttpRequest made;
    made.url = endpoint(provider.baseUrl, QStringLiteral("/--/api/v2/push/getReceipts"));
    made.headers = {{"User-Agent", userAgent()}, {"Accept", "application/json"}};
    if (!provider.apiKey.isEmpty())
        made.headers.emplace_back("Authorization", "Bearer " + provider.apiKey);
    std::vector<JsonValue> ids;
    for (const OpenQuestion &question : questions) {
        if (!question.messageId.isEmpty())
            ids.push_back(JsonValue::string(question.messageId));
    }
    made.body = JsonValue::object({{QStringLiteral("ids"), JsonValue::array(std::move(ids))}}).toJson();
    return made;
}

FoundMessage unclear(const QString &why)
{
    FoundMessage found;
    found.why = why;
    return found;
}

// A receipt tells what Apple or Google said when Expo handed the notification over. "ok" is not arrival on the device,
// so it is Sent; only DeviceNotRegistered says something against the address.
ProviderReceipt receiptOf(const OpenQuestion &question, const QJsonObject &receipt, bool isOk)
{
    ProviderReceipt made;
    made.messageId = question.messageId;
    made.delivery = question.id;
    made.address = question.address;
    made.eventId = QStringLiteral("receipt:") + question.messageId; // there is one for each ticket
    if (isOk) {
        made.kind = ReceiptKind::Sent;
        return made;
    }
    const AttemptResult refusal = resultOfTicket({}, receipt);
    const bool isGone = refusal.outcome == Outcome::PermanentRecipient;
    made.kind = isGone ? ReceiptKind::BouncedHard : ReceiptKind::Failed;
    made.suppresses = isGone;
    made.suppressReason = isGone ? QStringLiteral("invalid_address") : QString();
    made.providerCode = storableText(refusal.code, 100);
    QString text = refusal.text;
    if (!question.address.isEmpty())
        text.replace(question.address, QStringLiteral("[address]"));
    made.detail = storableText(text, maxProviderText);
    return made;
}

FoundMessage foundIn(const QJsonObject &receipts, const OpenQuestion &question)
{
    if (question.messageId.isEmpty())
        return unclear(QStringLiteral("Expo finds notifications by their ticket only, and none ever came"));
    const QJsonObject receipt = receipts.value(question.messageId).toObject();
    const QString status = receipt.value(QLatin1String("status")).toString();
    if (status != QLatin1String("ok") && status != QLatin1String("error"))
        return unclear(QStringLiteral("Expo has no receipt for this ticket, not yet or not any more"));
    // Throttled and transient errors of Apple or Google: Expo does not try again, so they are ends like the others.
    FoundMessage found;
    found.found = FoundMessage::Found::Yes;
    found.receipt = receiptOf(question, receipt, status == QLatin1String("ok"));
    return found;
}

std::vector<FoundMessage> readFound(const ProviderSettings &, const std::vector<OpenQuestion> &questions,
                                    const HttpAnswer &answer, Timestamp)
{
    const QJsonObject body = jsonBody(answer);
    const bool isReadable = answer.fault == Fault::None && isSuccess(answer.status) &&
                            body.value(QLatin1String("data")).isObject() &&
                            body.value(QLatin1String("errors")).toArray().isEmpty();
    std::vector<FoundMessage> found;
    for (const OpenQuestion &question : questions) {
        found.push_back(isReadable ? foundIn(body.value(QLatin1String("data")).toObject(), question)
                                   : unclear(answer.faultText.isEmpty() ? unreadableBody(answer) : answer.faultText));
    }
    return found;
}

} // namespace

const ProviderKind &expoKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("expo");
        made.channel = Channel::Push;
        made.batch = 100;
        made.idempotencyWindow = Milliseconds(0);
        made.defaultBaseUrl = QStringLiteral("https://exp.host");
        made.documentedLimit = 600;
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        made.ask = ask;
        made.readFound = readFound;
        made.askBatch = 300; // 1,000 are allowed; the SDK asks for so many
        // Documented: look after a quarter of an hour, they are cleared after a day; an hour for clocks.
        made.receiptAfter = std::chrono::minutes(15);
        made.receiptsKept = std::chrono::hours(23);
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
