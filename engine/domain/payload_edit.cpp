#include "domain/payload_edit.h"

#include "domain/json_document.h"
#include "domain/operation.h"
#include "domain/routing.h"

namespace sendoff {

namespace {

QStringList tokensOf(const QString &pointer)
{
    QStringList tokens = pointer.split(u'/').mid(1);
    for (QString &token : tokens)
        token.replace(QLatin1String("~1"), QLatin1String("/")).replace(QLatin1String("~0"), QLatin1String("~"));
    return tokens;
}

JsonValue withValueAt(const JsonValue &target, const QStringList &tokens, qsizetype depth, const JsonValue &value)
{
    if (depth == tokens.size())
        return value;
    if (target.kind() == JsonValue::Kind::Object) {
        std::vector<JsonValue::Member> members = target.members();
        for (auto &[name, member] : members) {
            if (name == tokens[depth])
                member = withValueAt(member, tokens, depth + 1, value);
        }
        return JsonValue::object(std::move(members));
    }
    if (target.kind() == JsonValue::Kind::Array) {
        std::vector<JsonValue> items = target.items();
        bool isIndex = false;
        const qsizetype index = tokens[depth].toLongLong(&isIndex);
        if (isIndex && index >= 0 && index < qsizetype(items.size()))
            items[size_t(index)] = withValueAt(items[size_t(index)], tokens, depth + 1, value);
        return JsonValue::array(std::move(items));
    }
    return target;
}

// Follows the tokens as long as the patch merges; where they end, or it stops to be an object, it replaces.
bool replaces(const JsonValue &patch, const QStringList &tokens)
{
    const JsonValue *here = &patch;
    for (const QString &token : tokens) {
        if (here->kind() != JsonValue::Kind::Object)
            return true;
        here = here->member(token);
        if (!here)
            return false;
    }
    return true;
}

} // namespace

Result<WrittenAddress> writtenAddress(Channel channel, const QString &address, const QByteArray &hashKey)
{
    if (channel == Channel::Inbox)
        return Error{ErrorCode::Invalid, QStringLiteral("the inbox has no address")};
    // The relay's own rule, asked about an event that holds nothing but this address.
    NotifyRule rule;
    rule.role = QStringLiteral("edited");
    rule.channels = {channel};
    rule.addresses.insert(channel, QStringLiteral("/address"));
    EventType type;
    type.notify.push_back(rule);
    const JsonValue payload = JsonValue::object({{QStringLiteral("address"), JsonValue::string(address)}});
    const RoutingRules rules{{{channel, QStringLiteral("any")}}, hashKey};
    const Result<Routing> routing = route(Event{}, type, payload, {}, rules, {});
    if (!routing || routing->deliveries.size() != 1)
        return Error{ErrorCode::Invalid, QStringLiteral("the new address is empty")};
    const PlannedDelivery &planned = routing->deliveries.front();
    if (planned.state == DeliveryState::Suppressed) {
        return Error{ErrorCode::Invalid, planned.reason == Reason::InvalidAddress
                                             ? QStringLiteral("the new address does not fit: %1").arg(planned.detail)
                                             : QStringLiteral("the new address is empty")};
    }
    return WrittenAddress{planned.address, planned.addressHash, planned.traces};
}

bool patchTouches(const QByteArray &payload, const QByteArray &patch, const QStringList &pointers)
{
    const Result<JsonValue> change = parseJson(patch);
    const Result<JsonValue> before = parsePayload(payload);
    const Result<QByteArray> merged = mergePatched(payload, patch);
    if (pointers.isEmpty() || !change || !before || !merged)
        return false; // nothing comes of such a patch
    const Result<JsonValue> after = parsePayload(*merged);
    for (const QString &pointer : pointers) {
        if (replaces(*change, tokensOf(pointer)))
            return true;
        // An object takes a list's place as a whole, whatever it names.
        if (!after || (before->at(pointer) && !after->at(pointer)))
            return true;
    }
    return false;
}

Result<QByteArray> withValuesOf(const QByteArray &edited, const QByteArray &original, const QStringList &pointers)
{
    Result<JsonValue> result = parsePayload(edited);
    if (!result)
        return result.error();
    const Result<JsonValue> source = parsePayload(original);
    if (!source)
        return source.error();
    for (const QString &pointer : pointers) {
        if (const JsonValue *value = source->at(pointer))
            *result = withValueAt(*result, tokensOf(pointer), 0, *value);
    }
    return result->toJson();
}

} // namespace sendoff
