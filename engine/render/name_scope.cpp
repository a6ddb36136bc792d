#include "render/name_scope.h"

namespace sendoff::render {

namespace {

const JsonValue emptyPayload = JsonValue::object({});

bool isZero(QStringView number)
{
    for (const QChar each : number) {
        if (each == u'e' || each == u'E')
            break;
        if (each >= u'1' && each <= u'9')
            return false;
    }
    return true;
}

JsonValue extraNames(const RenderScope &scope)
{
    std::vector<JsonValue::Member> members;
    for (auto each = scope.extra.cbegin(); each != scope.extra.cend(); ++each)
        members.emplace_back(each.key(), JsonValue::string(each.value()));
    return JsonValue::object(std::move(members));
}

} // namespace

NameScope::NameScope(const RenderScope &scope)
    : m_hasElement(!scope.element.isEmpty())
    , m_extra(extraNames(scope))
    , m_items{scope.payload ? scope.payload : &emptyPayload}
{
    if (m_hasElement)
        m_recipient = m_items.front()->at(scope.element);
}

const JsonValue *NameScope::first(const QString &name) const
{
    if (name == QLatin1String("."))
        return m_items.back();
    if (m_hasElement && name == QLatin1String("recipient"))
        return m_recipient;
    if (const JsonValue *found = m_extra.member(name))
        return found;
    for (auto item = m_items.rbegin(); item != m_items.rend(); ++item) {
        if (const JsonValue *found = (*item)->member(name))
            return found;
    }
    return nullptr;
}

const JsonValue *NameScope::find(const QStringList &path) const
{
    const JsonValue *here = first(path.first());
    for (qsizetype at = 1; here && at < path.size(); ++at)
        here = here->kind() == JsonValue::Kind::Array ? here->at(u'/' + path[at]) : here->member(path[at]);
    return here;
}

bool isTruthy(const JsonValue &value)
{
    switch (value.kind()) {
    case JsonValue::Kind::Null:
        return false;
    case JsonValue::Kind::Bool:
        return value.toBool();
    case JsonValue::Kind::Number:
        return !isZero(value.text());
    case JsonValue::Kind::String:
        return !value.text().isEmpty();
    case JsonValue::Kind::Array:
        return !value.items().empty();
    case JsonValue::Kind::Object:
        return true;
    }
    return false;
}

} // namespace sendoff::render
