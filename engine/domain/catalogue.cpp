#include "domain/catalogue.h"

#include <QCryptographicHash>

namespace sendoff {

namespace {

// Members that are empty are left out, so that a catalogue has one text only and stays far under the JSON limit.
void addText(std::vector<JsonValue::Member> &members, const QString &name, const QString &text)
{
    if (!text.isEmpty())
        members.emplace_back(name, JsonValue::string(text));
}

JsonValue toValue(const NotifyRule &rule)
{
    std::vector<JsonValue::Member> members;
    addText(members, QStringLiteral("role"), rule.role);
    addText(members, QStringLiteral("each"), rule.each);
    addText(members, QStringLiteral("user"), rule.user);
    addText(members, QStringLiteral("locale"), rule.locale);
    addText(members, QStringLiteral("time_zone"), rule.timeZone);
    std::vector<JsonValue::Member> addresses;
    for (auto it = rule.addresses.cbegin(); it != rule.addresses.cend(); ++it)
        addText(addresses, toText(it.key()), it.value());
    if (!addresses.empty())
        members.emplace_back(QStringLiteral("addresses"), JsonValue::object(std::move(addresses)));
    std::vector<JsonValue> channels;
    for (const Channel channel : rule.channels)
        channels.push_back(JsonValue::string(toText(channel)));
    members.emplace_back(QStringLiteral("channels"), JsonValue::array(std::move(channels)));
    addText(members, QStringLiteral("template"), rule.templateName);
    return JsonValue::object(std::move(members));
}

JsonValue toValue(const EventType &type)
{
    std::vector<JsonValue::Member> members;
    addText(members, QStringLiteral("type"), type.type);
    addText(members, QStringLiteral("category"), type.category);
    addText(members, QStringLiteral("lane"), toText(type.lane));
    if (type.expires)
        members.emplace_back(QStringLiteral("expires_ms"), JsonValue::number(QString::number(type.expires->count())));
    std::vector<JsonValue> secrets;
    for (const QString &pointer : type.secrets)
        secrets.push_back(JsonValue::string(pointer));
    if (!secrets.empty())
        members.emplace_back(QStringLiteral("secrets"), JsonValue::array(std::move(secrets)));
    std::vector<JsonValue> notify;
    for (const NotifyRule &rule : type.notify)
        notify.push_back(toValue(rule));
    members.emplace_back(QStringLiteral("notify"), JsonValue::array(std::move(notify)));
    return JsonValue::object(std::move(members));
}

QString textAt(const JsonValue &object, QStringView name)
{
    const JsonValue *member = object.member(name);
    return member && member->kind() == JsonValue::Kind::String ? member->text() : QString();
}

std::vector<JsonValue> itemsAt(const JsonValue &object, QStringView name)
{
    const JsonValue *member = object.member(name);
    return member ? member->items() : std::vector<JsonValue>();
}

// What is missing or has the wrong form is read as empty here: fromJson() compares the whole text afterwards.
NotifyRule ruleFrom(const JsonValue &value)
{
    NotifyRule rule;
    rule.role = textAt(value, u"role");
    rule.each = textAt(value, u"each");
    rule.user = textAt(value, u"user");
    rule.locale = textAt(value, u"locale");
    rule.timeZone = textAt(value, u"time_zone");
    rule.templateName = textAt(value, u"template");
    if (const JsonValue *addresses = value.member(u"addresses")) {
        for (const auto &[name, pointer] : addresses->members()) {
            if (const auto channel = fromText<Channel>(name))
                rule.addresses.insert(*channel, pointer.text());
        }
    }
    for (const JsonValue &name : itemsAt(value, u"channels")) {
        if (const auto channel = fromText<Channel>(name.text()))
            rule.channels.push_back(*channel);
    }
    return rule;
}

EventType typeFrom(const JsonValue &value)
{
    EventType type;
    type.type = textAt(value, u"type");
    type.category = textAt(value, u"category");
    type.lane = fromText<Lane>(textAt(value, u"lane")).value_or(Lane::Normal);
    if (const JsonValue *expires = value.member(u"expires_ms"))
        type.expires = Milliseconds(expires->text().toLongLong());
    for (const JsonValue &pointer : itemsAt(value, u"secrets"))
        type.secrets += pointer.text();
    for (const JsonValue &rule : itemsAt(value, u"notify"))
        type.notify.push_back(ruleFrom(rule));
    return type;
}

void addField(QCryptographicHash &hash, const QByteArray &field)
{
    hash.addData(QByteArray::number(field.size()) + ':');
    hash.addData(field);
}

} // namespace

QByteArray Catalogue::toJson() const
{
    std::vector<JsonValue> events;
    for (const EventType &type : types)
        events.push_back(toValue(type));
    std::vector<JsonValue::Member> members;
    members.emplace_back(QStringLiteral("default_locale"), JsonValue::string(defaultLocale));
    members.emplace_back(QStringLiteral("events"), JsonValue::array(std::move(events)));
    return JsonValue::object(std::move(members)).toJson();
}

Result<Catalogue> Catalogue::fromJson(const QByteArray &json)
{
    const Result<JsonValue> parsed = parseJson(json);
    if (!parsed) {
        return Error{
            ErrorCode::Corrupt,
            QStringLiteral("the stored catalogue can't be read (%1); publish it again").arg(parsed.error().message)};
    }
    Catalogue catalogue;
    catalogue.defaultLocale = textAt(*parsed, u"default_locale");
    for (const JsonValue &event : itemsAt(*parsed, u"events")) {
        EventType type = typeFrom(event);
        catalogue.types.insert(type.type, std::move(type));
    }
    // The one test that covers every wrong word, order, type and unknown member.
    if (catalogue.toJson() != json) {
        return Error{ErrorCode::Corrupt,
                     QStringLiteral("the stored catalogue was not written by this program; publish it again")};
    }
    return catalogue;
}

QString PublishedSet::hash() const
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    addField(hash, catalogue.toJson());
    for (auto it = templates.cbegin(); it != templates.cend(); ++it) {
        addField(hash, it.key().toUtf8());
        addField(hash, it.value());
    }
    return QString::fromLatin1(hash.result().toHex());
}

Milliseconds defaultLifetime(Lane lane)
{
    using namespace std::chrono_literals;
    return lane == Lane::Bulk ? 72h : 24h;
}

} // namespace sendoff
