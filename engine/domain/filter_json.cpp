#include "domain/filter.h"
#include "domain/filter_fields.h"
#include "domain/json_document.h"

#include <algorithm>
#include <iterator>

namespace sendoff {

namespace {

struct Condition
{
    const char *name;
    FilterTerm::Operator op;
    bool isNegated;
};

constexpr Condition conditions[] = {
    {"is", FilterTerm::Operator::Equals, false},   {"not", FilterTerm::Operator::Equals, true},
    {"above", FilterTerm::Operator::Above, false}, {"notAbove", FilterTerm::Operator::Above, true},
    {"below", FilterTerm::Operator::Below, false}, {"notBelow", FilterTerm::Operator::Below, true},
};

constexpr Milliseconds maxDuration{3650LL * 86'400'000};

JsonValue jsonOf(const FilterTerm &term)
{
    const auto condition = std::find_if(std::begin(conditions), std::end(conditions), [&](const Condition &each) {
        return each.op == term.op && each.isNegated == term.isNegated;
    });
    JsonValue value;
    if (term.op == FilterTerm::Operator::Equals) {
        std::vector<JsonValue> values;
        for (const QString &each : term.values)
            values.push_back(JsonValue::string(each));
        value = JsonValue::array(std::move(values));
    } else {
        const FilterField *field = filterField(term.field, FilterRows::Deliveries);
        const bool isCount = field && field->kind == FilterKind::Count;
        value = JsonValue::number(QString::number(isCount ? term.number : qint64(term.duration.count())));
    }
    return JsonValue::object({{QStringLiteral("field"), JsonValue::string(term.field)},
                              {QString::fromLatin1(condition->name), std::move(value)}});
}

// Empty where the values could be read.
QString readValues(const FilterField &field, const JsonValue &json, FilterTerm &term)
{
    if (field.kind == FilterKind::Time)
        return QStringLiteral("%1 is compared; write \"above\" or \"below\" with milliseconds").arg(field.name);
    if (json.kind() != JsonValue::Kind::Array || json.items().empty())
        return QStringLiteral("the values of %1 must be a list of texts that is not empty").arg(field.name);
    for (const JsonValue &item : json.items()) {
        if (item.kind() != JsonValue::Kind::String)
            return QStringLiteral("a value of %1 is not a text; write it in quotes").arg(field.name);
        if (QString why = valueProblem(field, item.text()); !why.isEmpty())
            return why;
        term.values += canonicalValue(field, item.text());
    }
    return {};
}

QString readLimit(const FilterField &field, const JsonValue &json, FilterTerm &term)
{
    if (!isCompared(field.kind))
        return QStringLiteral("%1 can't be compared; write \"is\" or \"not\" with a list of values").arg(field.name);
    const auto number = json.kind() == JsonValue::Kind::Number ? filterNumber(json.text()) : std::nullopt;
    if (!number || (field.kind == FilterKind::Time && *number > maxDuration.count())) {
        return field.kind == FilterKind::Time
                   ? QStringLiteral("%1 must be milliseconds: a whole number up to ten years").arg(field.name)
                   : QStringLiteral("%1 must be a whole number").arg(field.name);
    }
    if (field.kind == FilterKind::Time)
        term.duration = Milliseconds(*number);
    else
        term.number = *number;
    return {};
}

QString readTerm(const JsonValue &json, FilterRows rows, FilterTerm &term)
{
    const JsonValue *name = json.kind() == JsonValue::Kind::Object ? json.member(u"field") : nullptr;
    if (!name || name->kind() != JsonValue::Kind::String || json.members().size() != 2)
        return QStringLiteral("a term is an object with \"field\" and one condition, as in {\"field\":\"state\","
                              "\"is\":[\"dead\"]}");
    const FilterField *field = filterField(name->text(), rows);
    if (!field) {
        return QStringLiteral("unknown field %1; use one of: %2")
            .arg(quotedForError(name->text()), filterFields(rows).join(QLatin1String(", ")));
    }
    term.field = field->name;
    for (const Condition &condition : conditions) {
        const JsonValue *value = json.member(QString::fromLatin1(condition.name));
        if (!value)
            continue;
        term.op = condition.op;
        term.isNegated = condition.isNegated;
        return term.op == FilterTerm::Operator::Equals ? readValues(*field, *value, term)
                                                       : readLimit(*field, *value, term);
    }
    return QStringLiteral("%1 has no condition; use one of: is, not, above, notAbove, below, notBelow")
        .arg(field->name);
}

} // namespace

QByteArray Filter::toJson() const
{
    std::vector<JsonValue> items;
    for (const FilterTerm &term : canonical().terms)
        items.push_back(jsonOf(term));
    return JsonValue::array(std::move(items)).toJson();
}

Result<Filter> Filter::fromJson(const QByteArray &json, FilterRows rows)
{
    const Result<JsonValue> list = parseJson(json);
    if (!list)
        return Error{ErrorCode::Invalid, QStringLiteral("filter: %1").arg(list.error().message)};
    if (list->kind() != JsonValue::Kind::Array)
        return Error{ErrorCode::Invalid, QStringLiteral("filter: the JSON form is a list of terms, [] for none")};
    Filter filter;
    for (const JsonValue &item : list->items()) {
        FilterTerm term;
        if (const QString why = readTerm(item, rows, term); !why.isEmpty()) {
            return Error{ErrorCode::Invalid,
                         QStringLiteral("filter, term %1: %2").arg(filter.terms.size() + 1).arg(why)};
        }
        filter.terms.push_back(std::move(term));
    }
    return filter;
}

} // namespace sendoff
