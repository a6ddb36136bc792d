#include "store/filter_sql.h"

#include "domain/words.h"
#include "store/bound_text.h"

#include <algorithm>

namespace sendoff::store {

namespace {

constexpr qsizetype maxValues = 1'000; // of one term; more is a condition, not a list

// The closed set: a field's expressions, any of which may equal a value.
struct Column
{
    const char *field;
    const char *expressions[2];
};

constexpr Column deliveryColumnsOfFields[] = {
    {"id", {"d.id", nullptr}},
    {"event", {"d.event_id", nullptr}},
    {"type", {"d.type", nullptr}},
    {"tenant", {"d.tenant", nullptr}},
    {"user", {"d.user_id", nullptr}},
    {"recipient", {"d.recipient", nullptr}},
    {"role", {"d.role", nullptr}},
    {"channel", {"d.channel", nullptr}},
    {"provider", {"d.provider", nullptr}},
    {"lane", {"d.lane", nullptr}},
    {"category", {"d.category", nullptr}},
    {"state", {"d.state", nullptr}},
    {"reason", {"d.reason", nullptr}},
    // A code is the provider's own error name or the number of its answer: people know either.
    {"code", {"coalesce(d.last_code, '')", "CAST(d.last_status AS text)"}},
    {"outcome", {"coalesce(d.last_outcome, '')", nullptr}},
};

constexpr Column eventColumnsOfFields[] = {
    {"id", {"e.id", nullptr}},         {"event", {"e.id", nullptr}},    {"type", {"e.type", nullptr}},
    {"tenant", {"e.tenant", nullptr}}, {"state", {"e.state", nullptr}},
};

template <size_t N>
const Column *columnOf(const Column (&columns)[N], const QString &field)
{
    const auto found = std::find_if(std::begin(columns), std::end(columns),
                                    [&](const Column &each) { return field == QLatin1String(each.field); });
    return found == std::end(columns) ? nullptr : found;
}

// Lists are filled up to a power of two with their last value, so that few different statements are prepared.
QStringList padded(QStringList values)
{
    qsizetype size = 1;
    while (size < values.size())
        size *= 2;
    while (values.size() < size)
        values += values.last();
    return values;
}

void addEquals(FilterSql &sql, const Column &column, const QStringList &values)
{
    const QStringList bound = padded(values);
    QByteArray places = "?";
    for (qsizetype each = 1; each < bound.size(); ++each)
        places += ", ?";
    sql.condition += " AND (";
    for (const char *expression : column.expressions) {
        if (!expression)
            continue;
        if (expression != column.expressions[0])
            sql.condition += " OR ";
        sql.condition += QByteArray(expression) + " IN (" + places + ")";
        for (const QString &value : bound)
            sql.values += boundText(value);
    }
    sql.condition += ")";
}

void addAge(FilterSql &sql, const char *column, const FilterTerm &term, std::optional<Timestamp> asOf)
{
    sql.condition += QByteArray(" AND ") + column + (term.op == FilterTerm::Operator::Older ? " < " : " > ");
    if (asOf) {
        sql.condition += "$at(?)";
        sql.values += qint64((*asOf - term.duration).time_since_epoch().count());
    } else {
        sql.condition += "$now_plus(?)";
        sql.values += qint64(-term.duration.count());
    }
}

// Live states stand in the hot table only, ended ones in the history only.
void noteState(FilterSql &sql, const QStringList &words)
{
    bool hasLive = false;
    bool hasEnded = false;
    for (const QString &word : words) {
        if (const auto state = fromText<DeliveryState>(word))
            (isLive(*state) ? hasLive : hasEnded) = true;
    }
    sql.mayBeLive = sql.mayBeLive && hasLive;
    sql.mayBeEnded = sql.mayBeEnded && hasEnded;
}

} // namespace

Result<FilterSql> filterSql(const Filter &filter, FilteredRows rows, std::optional<Timestamp> asOf)
{
    const bool ofEvents = rows == FilteredRows::Events;
    FilterSql sql;
    for (const FilterTerm &term : filter.terms) {
        if (term.op != FilterTerm::Operator::Equals) {
            addAge(sql, ofEvents ? "e.recorded_at" : "d.created_at", term, asOf);
            continue;
        }
        const Column *column =
            ofEvents ? columnOf(eventColumnsOfFields, term.field) : columnOf(deliveryColumnsOfFields, term.field);
        if (!column) {
            return Error{ErrorCode::Invalid,
                         ofEvents
                             ? QStringLiteral("events can't be chosen by %1; use event, type, tenant, state or age")
                                   .arg(filterFields().contains(term.field) ? term.field : QStringLiteral("that field"))
                             : QStringLiteral("the filter names an unknown field; use one of: %1")
                                   .arg(filterFields().join(QLatin1String(", ")))};
        }
        if (term.values.isEmpty())
            return Error{ErrorCode::Invalid,
                         QStringLiteral("%1 has no value; write \"\" for the empty one").arg(term.field)};
        if (term.values.size() > maxValues) {
            return Error{ErrorCode::Invalid,
                         QStringLiteral("%1 lists more than %2 values; choose by a condition instead")
                             .arg(term.field)
                             .arg(maxValues)};
        }
        if (!ofEvents && term.field == QLatin1String("state"))
            noteState(sql, term.values);
        addEquals(sql, *column, term.values);
    }
    return sql;
}

} // namespace sendoff::store
