#include "channel/generic/generic_kind.h"

#include "channel/answer_rules.h"
#include "channel/compose_checks.h"
#include "channel/generic/generic_description.h"
#include "channel/provider_wait.h"
#include <QRegularExpression>
#include <algorithm>

namespace sendoff::channel {

namespace {

const QString keyPlaceholder = QStringLiteral("key");

Result<QByteArray> compose(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                           const DeliveryId &id)
{
    if (const auto checked = checkComposition(provider.channel, message, address); !checked)
        return checked.error();
    const auto description = GenericDescription::read(provider);
    if (!description)
        return Error{ErrorCode::Invalid,
                     QStringLiteral("providers.%1.%2").arg(provider.name, description.error().message)};
    if (message.text.isEmpty() && message.html.isEmpty() && message.title.isEmpty())
        return Error{ErrorCode::Invalid,
                     QStringLiteral("the message has no text, HTML or title; give the template one of them")};
    const QMap<QString, QString> values{
        {QStringLiteral("address"), address},     {QStringLiteral("subject"), message.subject},
        {QStringLiteral("text"), message.text},   {QStringLiteral("html"), message.html},
        {QStringLiteral("title"), message.title}, {QStringLiteral("link"), message.link},
        {QStringLiteral("from"), provider.from},  {QStringLiteral("id"), id.value}};
    return filled(description->body, values, description->escaping).toUtf8();
}

QMap<QString, QString> requestValues(const OutgoingItem &item)
{
    return {{QStringLiteral("address"), item.address}, {QStringLiteral("id"), item.id.value}};
}

// The key is put in last, and its own slashes are steps of the path: there are services whose key is a part of one.
QUrl urlOf(const ProviderSettings &provider, const GenericDescription &description, const OutgoingItem &item)
{
    QString text = provider.baseUrl.toString(QUrl::FullyEncoded);
    if (!description.path.isEmpty() && text.endsWith(u'/'))
        text.chop(1);
    const QString key = QString::fromLatin1(QUrl::toPercentEncoding(QString::fromUtf8(provider.apiKey), "/"));
    const QString path = filled(description.path, requestValues(item), Escaping::Path);
    return QUrl(text + filled(path, {{keyPlaceholder, key}}, Escaping::None), QUrl::StrictMode);
}

// A frozen body never holds the key: it joins here.
QByteArray bodyWithKey(const GenericDescription &description, const QByteArray &body, const QByteArray &key)
{
    if (description.keyField.isEmpty())
        return body;
    const QString value = QString::fromUtf8(key);
    if (description.escaping == Escaping::Form)
        return body + '&' + escaped(description.keyField, Escaping::Form).toLatin1() + '=' +
               escaped(value, Escaping::Form).toLatin1();
    const qsizetype brace = body.indexOf('{');
    const QByteArray rest = body.mid(brace + 1);
    const bool isOnly = rest.trimmed().startsWith('}');
    return body.left(brace + 1) + jsonString(description.keyField) + ':' + jsonString(value) + (isOnly ? "" : ",") +
           rest;
}

HttpRequest request(const ProviderSettings &provider, const std::vector<OutgoingItem> &items)
{
    HttpRequest made;
    const auto description = GenericDescription::read(provider);
    if (!description)
        return made; // the transport refuses it; check() has said what is wrong
    const OutgoingItem &item = items.front();
    made.url = urlOf(provider, *description, item);
    made.contentType = description->contentType.toUtf8();
    made.body = bodyWithKey(*description, item.body, provider.apiKey);
    QMap<QString, QString> values = requestValues(item);
    values.insert(keyPlaceholder, QString::fromUtf8(provider.apiKey));
    for (auto each = description->headers.begin(); each != description->headers.end(); ++each)
        made.headers.emplace_back(each.key().toUtf8(), filled(*each, values, Escaping::None).toUtf8());
    if (!description->idempotencyHeader.isEmpty())
        made.headers.emplace_back(description->idempotencyHeader.toUtf8(), item.id.value.toUtf8());
    const auto isAgent = [](const auto &header) {
        return header.first.compare("User-Agent", Qt::CaseInsensitive) == 0;
    };
    if (std::none_of(made.headers.begin(), made.headers.end(), isAgent))
        made.headers.emplace_back("User-Agent", userAgent());
    return made;
}

QString textAt(const JsonValue &json, const QString &pointer)
{
    const JsonValue *value = pointer.isEmpty() ? nullptr : json.at(pointer);
    return value ? value->text() : QString();
}

// The provider's own name for what happened: where the description says, or a body that is nothing but a name.
QString codeOf(const GenericDescription &description, const HttpAnswer &answer, const JsonValue &json)
{
    if (const QString code = textAt(json, description.errorCode); !code.isEmpty())
        return code;
    static const QRegularExpression name(QStringLiteral("^[A-Za-z][A-Za-z0-9_.-]{0,59}$"));
    const QString body = QString::fromUtf8(answer.body).trimmed();
    return description.errorCode.isEmpty() && name.match(body).hasMatch() ? body : QString();
}

std::optional<Milliseconds> waitOf(const GenericDescription &description, const HttpAnswer &answer,
                                   const JsonValue &json, Timestamp now)
{
    if (const auto wait = providerWait(answer, now))
        return wait;
    bool isNumber = false;
    const double count = textAt(json, description.wait).toDouble(&isNumber);
    if (!isNumber || !(count >= 0))
        return std::nullopt;
    const double milliseconds = count * double(description.waitUnit);
    return milliseconds >= double(longestWait.count()) ? longestWait : Milliseconds(qint64(milliseconds));
}

AttemptResult resultOfRule(const GenericRule &rule, const GenericDescription &description, const HttpAnswer &answer,
                           const JsonValue &json, Timestamp now)
{
    AttemptResult result;
    result.status = answer.status;
    result.outcome = rule.outcome;
    if (rule.outcome == Outcome::Accepted) {
        result.providerMessageId = textAt(json, description.messageId);
        return result;
    }
    const QString code = codeOf(description, answer, json);
    const QString text = textAt(json, description.errorText);
    result.code = code.isEmpty() ? QStringLiteral("http_%1").arg(answer.status) : code;
    result.text = text.isEmpty() ? unreadableBody(answer) : text;
    result.pausesBucket = rule.pausesBucket;
    result.suppresses = rule.outcome == Outcome::PermanentRecipient;
    const bool isTriedAgain =
        rule.outcome == Outcome::Throttled || rule.outcome == Outcome::Transient || rule.outcome == Outcome::Unknown;
    if (isTriedAgain) {
        result.wait = waitOf(description, answer, json, now);
        if (rule.floor > Milliseconds(0))
            result.wait = std::max(result.wait.value_or(Milliseconds(0)), rule.floor);
    }
    return result;
}

AttemptResult resultOfSuccess(const GenericDescription &description, const HttpAnswer &answer, const JsonValue &json)
{
    AttemptResult result;
    result.status = answer.status;
    result.providerMessageId = textAt(json, description.messageId);
    const bool isWhole = description.messageId.isEmpty() || !result.providerMessageId.isEmpty();
    result.outcome = isWhole ? Outcome::Accepted : Outcome::Unknown;
    if (!isWhole) {
        result.code = QStringLiteral("answer_without_id"); // something on the way may have answered
        result.text = unreadableBody(answer);
    }
    return result;
}

AttemptResult classifyOne(const ProviderSettings &provider, const HttpAnswer &answer, Timestamp now)
{
    if (const auto result = resultWithoutAnswer(answer))
        return *result;
    const auto description = GenericDescription::read(provider);
    if (!description) { // nothing was posted then; not reached
        AttemptResult result;
        result.outcome = Outcome::Configuration;
        result.code = QStringLiteral("bad_option");
        result.text = description.error().message;
        return result;
    }
    const auto parsed = parseJson(answer.body);
    const JsonValue json = parsed ? *parsed : JsonValue();
    for (const GenericRule &rule : description->rules) {
        if (rule.matches(answer, json))
            return resultOfRule(rule, *description, answer, json, now);
    }
    if (isSuccess(answer.status))
        return resultOfSuccess(*description, answer, json);
    const Repeats repeats = description->idempotencyHeader.isEmpty() ? Repeats::NotKnown : Repeats::KnownByKey;
    AttemptResult result = resultOfRefusal({}, repeats, answer, codeOf(*description, answer, json),
                                           textAt(json, description->errorText), now);
    const bool isTriedAgain = result.outcome == Outcome::Throttled || result.outcome == Outcome::Transient ||
                              result.outcome == Outcome::Unknown;
    if (isTriedAgain && !result.wait)
        result.wait = waitOf(*description, answer, json, now);
    return result;
}

std::vector<AttemptResult> classify(const ProviderSettings &provider, const std::vector<OutgoingItem> &items,
                                    const HttpAnswer &answer, Timestamp now)
{
    return std::vector<AttemptResult>(items.size(), classifyOne(provider, answer, now));
}

bool namesKey(const QString &text)
{
    static const QRegularExpression placeholder(QStringLiteral("\\{\\{\\s*key\\s*\\}\\}"));
    return text.contains(placeholder);
}

Result<void> check(const ProviderSettings &provider)
{
    const auto description = GenericDescription::read(provider);
    if (!description)
        return description.error();
    const auto &headers = description->headers;
    const bool usesKey = !description->keyField.isEmpty() || namesKey(description->path) ||
                         std::any_of(headers.begin(), headers.end(), namesKey);
    if (usesKey && provider.apiKey.isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("api_key: the options use {{key}}, but it is not given")};
    if (!usesKey && !provider.apiKey.isEmpty())
        return Error{ErrorCode::Invalid, QStringLiteral("api_key: it is given, but nothing uses it; write for example "
                                                        "options.headers.Authorization = \"Bearer {{key}}\"")};
    return {};
}

} // namespace

Milliseconds genericIdempotencyWindow(const ProviderSettings &provider)
{
    const auto description = GenericDescription::read(provider);
    return description ? description->idempotencyWindow : Milliseconds(0);
}

const ProviderKind &genericKind()
{
    static const ProviderKind kind = [] {
        ProviderKind made;
        made.name = QStringLiteral("http");
        made.channel = Channel::Webhook;
        made.anyChannel = true;
        made.optionNames = genericOptionNames();
        made.configuredWindow = genericIdempotencyWindow;
        made.check = check;
        made.compose = compose;
        made.request = request;
        made.classify = classify;
        return made;
    }();
    return kind;
}

} // namespace sendoff::channel
