#include "channel/twilio/twilio_kind.h"

#include "channel/compose_checks.h"
#include "channel/http_date.h"
#include "channel/mail/mail_parts.h"
#include "channel/signatures/signatures.h"
#include "channel/twilio/twilio_answers.h"
#include "channel/twilio/twilio_callback.h"
#include <QJsonArray>
#include <QRegularExpression>

namespace sendoff::channel {

namespace {

constexpr qsizetype maxText = 1600;
constexpr qint64 maxValidity = 36'000; // seconds, also what holds where none is given
constexpr Milliseconds ownClockError{2'000};
constexpr Milliseconds doubtfulBefore{60'000};
constexpr Milliseconds doubtfulAfter{60'000};

QString option(const ProviderSettings &provider, const QString &name)
{
    return provider.options.value(name);
}

bool isInternational(const QString &number)
{
    static const QRegularExpression e164(QStringLiteral("^\\+[1-9]\\d{4,14}$"));
    return e164.match(number).hasMatch();
}

bool isSid(const QString &text, const QString &prefix)
{
    static const QRegularExpression hex(QStringLiteral("^[0-9a-fA-F]{32}$"));
    return text.startsWith(prefix) && hex.match(text.mid(prefix.size())).hasMatch();
}

Result<void> check(const ProviderSettings &provider)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    if (!isSid(option(provider, QStringLiteral("account_sid")), QStringLiteral("AC")))
        return invalid(
            QStringLiteral("options.account_sid must be AC and 32 hexadecimal digits, as in Twilio's console"));
    const QString key = option(provider, QStringLiteral("key_sid"));
    if (!key.isEmpty() && !isSid(key, QStringLiteral("SK")))
        return invalid(
            QStringLiteral("options.key_sid must be SK and 32 hexadecimal digits; leave it out where api_key "
                           "is the auth token"));
    const QString service = option(provider, QStringLiteral("messaging_service_sid"));
    if (!service.isEmpty() && !isSid(service, QStringLiteral("MG")))
        return invalid(QStringLiteral("options.messaging_service_sid must be MG and 32 hexadecimal digits"));
    if (service.isEmpty() && provider.from.trimmed().isEmpty())
        return invalid(QStringLiteral("from must name a number or sender of yours; write it, or "
                                      "options.messaging_service_sid"));
    return {};
}

QString withoutPunctuation(QString number)
{
    static const QRegularExpression punctuation(QStringLiteral("[\\s().-]"));
    return number.remove(punctuation);
}

void add(QByteArray &form, const char *name, const QString &value)
{
    if (!form.isEmpty())
        form += '&';
    form += QByteArray(name) + '=' + QUrl::toPercentEncoding(value);
}

// Our delivery id rides in the query, so that a callback finds its delivery even where Twilio's answer, which alone
// names the message, was lost. The signature covers it.
QString callbackUrl(const ProviderSettings &provider, const DeliveryId &id)
{
    QUrl url = endpoint(provider.publicUrl, QStringLiteral("/callbacks/") + provider.name);
    url.setQuery(deliveryLabel() + u'=' + id.value);
    return url.toString(QUrl::FullyEncoded);
}

Result<QByteArray> compose(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    const auto invalid = [](const QString &text) { return Error{ErrorCode::Invalid, text}; };
    if (const auto checked = checkComposition(Channel::Sms, message, address); !checked)
        return checked.error();
    if (const auto checked = check(provider); !checked)
        return invalid(QStringLiteral("providers.%1.").arg(provider.name) + checked.error().message);
    const QString number = withoutPunctuation(address);
    if (!isInternational(number))
        return invalid(QStringLiteral("address: it is no phone number in international form, + and the country's code "
                                      "first; correct the contact"));
    if (message.text.trimmed().isEmpty())
        return invalid(QStringLiteral("the message has no text; give the template one"));
    if (message.text.size() > maxText)
        return invalid(QStringLiteral("the text has %1 characters, Twilio takes %2; shorten the template or its values")
                           .arg(message.text.size())
                           .arg(maxText));
    QByteArray form;
    add(form, "To", number);
    const QString service = option(provider, QStringLiteral("messaging_service_sid"));
    if (service.isEmpty())
        add(form, "From", provider.from.trimmed());
    else
        add(form, "MessagingServiceSid", service);
    add(form, "Body", message.text);
    if (message.validFor) {
        const qint64 seconds = std::chrono::floor<std::chrono::seconds>(*message.validFor).count();
        add(form, "ValidityPeriod", QString::number(std::clamp<qint64>(seconds, 1, maxValidity)));
    }
    if (!provider.publicUrl.isEmpty())
        add(form, "StatusCallback", callbackUrl(provider, id));
    return form;
}

QString messagesPath(const ProviderSettings &provider, const QString &rest)
{
    return QStringLiteral("/2010-04-01/Accounts/%1/Messages%2.json")
        .arg(option(provider, QStringLiteral("account_sid")), rest);
}

HttpRequest requestTo(const ProviderSettings &provider, const QString &path)
{
    const QString key = option(provider, QStringLiteral("key_sid"));
    const QString user = key.isEmpty() ? option(provider, QStringLiteral("account_sid")) : key;
    HttpRequest made;
    made.url = endpoint(provider.baseUrl, path);
    made.headers = {{"Authorization", basicAuthorization(user.toUtf8(), provider.apiKey)},
                    {"User-Agent", userAgent()},
                    {"Accept", "application/json"}};
    return made;
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    HttpRequest made = requestTo(provider, messagesPath(provider, {}));
    made.contentType = "application/x-www-form-urlencoded";
    made.body = items.front().body;
    return made;
}

AttemptResult classifyOne(const HttpAnswer &answer, Timestamp now)
{
    if (const auto result = resultWithoutAnswer(answer))
        return *result;
    const QJsonObject body = jsonBody(answer);
    if (!isSuccess(answer.status)) {
        const qint64 code = body.value(QLatin1String("code")).toInteger();
        return resultOfRefusal(twilioRules, Repeats::NotKnown, answer, code > 0 ? QString::number(code) : QString(),
                               body.value(QLatin1String("message")).toString(), now);
    }
    AttemptResult result;
    result.status = answer.status;
    result.providerMessageId = body.value(QLatin1String("sid")).toString();
    if (!result.providerMessageId.isEmpty()) {
        result.outcome = Outcome::Accepted;
    } else { // something on the way may have answered
        result.code = QStringLiteral("answer_without_sid");
        result.text = unreadableBody(answer);
    }
    return result;
}

std::vector<AttemptResult> classify(const ProviderSettings &, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    return std::vector<AttemptResult>(items.size(), classifyOne(answer, now));
}

// Twilio's own filter by date leaves out messages that still wait to be sent, so it is not used: the newest of this
// number are read and compared by the time they were made.
HttpRequest ask(const ProviderSettings &provider, const std::vector<OpenQuestion> &questions)
{
    const OpenQuestion &question = questions.front();
    const QString rest = question.messageId.isEmpty() ? QString() : u'/' + question.messageId;
    HttpRequest made = requestTo(provider, messagesPath(provider, rest));
    made.method = "GET";
    if (question.messageId.isEmpty()) {
        QByteArray query;
        add(query, "To", withoutPunctuation(question.address));
        const bool isOneSender = option(provider, QStringLiteral("messaging_service_sid")).isEmpty();
        if (isOneSender && isInternational(provider.from.trimmed()))
            add(query, "From", provider.from.trimmed());
        add(query, "PageSize", QStringLiteral("100"));
        made.url.setQuery(QString::fromLatin1(query), QUrl::StrictMode);
    }
    return made;
}

// "Thu, 01 Jan 2026 00:00:00 +0000"
std::optional<Timestamp> dateOf(const QJsonObject &message, QLatin1String name, Timestamp now)
{
    return parseHttpDate(message.value(name).toString().toLatin1().replace("+0000", "GMT"), now);
}

FoundMessage unclear(const QString &why)
{
    FoundMessage found;
    found.why = why;
    return found;
}

FoundMessage foundOf(const QJsonObject &message, const OpenQuestion &question, Timestamp now)
{
    const QJsonValue code = message.value(QLatin1String("error_code"));
    const QString sid = message.value(QLatin1String("sid")).toString();
    std::optional<ProviderReceipt> receipt =
        twilioReceipt(message.value(QLatin1String("status")).toString(),
                      code.isDouble() ? QString::number(code.toInteger()) : code.toString());
    if (sid.isEmpty() || !receipt)
        return unclear(QStringLiteral("Twilio gives the message a status that is not known here"));
    receipt->eventId = sid + u':' + message.value(QLatin1String("status")).toString();
    receipt->messageId = sid;
    receipt->delivery = question.id;
    receipt->address = message.value(QLatin1String("to")).toString();
    receipt->occurredAt = dateOf(message, QLatin1String("date_updated"), now);
    return {FoundMessage::Found::Yes, receipt, {}};
}

// Nothing in Twilio's list names our delivery. Only one message to this number since the hand-over is ours beyond
// doubt; one shortly before it may be ours by another clock.
FoundMessage foundInList(const ProviderSettings &provider, const QJsonObject &body, const OpenQuestion &question,
                         Timestamp now)
{
    if (!body.value(QLatin1String("messages")).isArray())
        return unclear(QStringLiteral("Twilio's answer holds no list of messages"));
    // Made later than our request can have been under way: somebody else's.
    const Timestamp latest = question.handedAt + provider.timeout + doubtfulAfter;
    std::vector<QJsonObject> since;
    bool isLate = false;
    bool isDoubtful = false;
    bool isWhole = body.value(QLatin1String("next_page_uri")).toString().isEmpty();
    for (const QJsonValue &value : body.value(QLatin1String("messages")).toArray()) {
        const QJsonObject message = value.toObject();
        if (message.value(QLatin1String("direction")).toString() == QLatin1String("inbound"))
            continue;
        const std::optional<Timestamp> created = dateOf(message, QLatin1String("date_created"), now);
        if (created && *created >= question.handedAt - ownClockError) {
            since.push_back(message);
            isLate = *created > latest;
        } else if (!created || *created >= question.handedAt - doubtfulBefore) {
            isDoubtful = true;
        } else {
            isWhole = true; // the newest come first: what follows on other pages is older
        }
    }
    if (!isWhole)
        return unclear(QStringLiteral("Twilio lists more messages to this number than are read"));
    if (isDoubtful || since.size() > 1)
        return unclear(QStringLiteral("more than one message went to this number around that time"));
    if (isLate)
        return unclear(QStringLiteral("the only message to this number was made long after ours was handed over"));
    return since.empty() ? FoundMessage{FoundMessage::Found::No, {}, {}} : foundOf(since.front(), question, now);
}

std::vector<FoundMessage> readFound(const ProviderSettings &provider, const std::vector<OpenQuestion> &questions,
                                    const HttpAnswer &answer, Timestamp now)
{
    const OpenQuestion &question = questions.front();
    const QJsonObject body = jsonBody(answer);
    if (answer.fault != Fault::None || answer.status != 200 || body.isEmpty())
        return {unclear(QStringLiteral("Twilio did not answer the question (HTTP %1)").arg(answer.status))};
    return {question.messageId.isEmpty() ? foundInList(provider, body, question, now) : foundOf(body, question, now)};
}

} // namespace

const ProviderKind &twilioKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("twilio");
        made.channel = Channel::Sms;
        made.defaultBaseUrl = QStringLiteral("https://api.twilio.com");
        made.needsKey = true;
        made.optionNames = QStringList{QStringLiteral("account_sid"), QStringLiteral("key_sid"),
                                       QStringLiteral("messaging_service_sid")};
        made.check = check;
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        made.ask = ask;
        made.readFound = readFound;
        made.indexingDelay = std::chrono::minutes(1);
        made.verify = verifyTwilio;
        made.receipts = readTwilioReceipts;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
