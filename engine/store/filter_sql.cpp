#include "store/filter_sql.h"

#include "domain/filter_fields.h"
#include "domain/words.h"
#include "store/bound_text.h"

#include <algorithm>

namespace sendoff::store {

namespace {

constexpr qsizetype maxValues = 1'000; // of one term; more is a condition, not a list

enum class Form {
    Text,
    MaybeText, // NULL counts as the empty text
    Number,
    Flag, // yes and no
    EventState,
    Operation, // rows that an operation met
    Past,      // a time since which the duration has gone by
    DueTime    // a time until which the duration is left; waiting rows only
};

// The closed set of fields and what they are compared with.
struct Column
{
    const char *field;
    const char *expression;
    Form form;
};

constexpr Column deliveryColumns[] = {
    {"id", "d.id", Form::Text},
    {"event", "d.event_id", Form::Text},
    {"type", "d.type", Form::Text},
    {"tenant", "d.tenant", Form::Text},
    {"user", "d.user_id", Form::Text},
    {"recipient", "d.recipient", Form::Text},
    {"domain", "d.address_domain", Form::Text},
    {"role", "d.role", Form::Text},
    {"channel", "d.channel", Form::Text},
    {"provider", "d.provider", Form::Text},
    {"lane", "d.lane", Form::Text},
    {"category", "d.category", Form::Text},
    {"state", "d.state", Form::Text},
    {"reason", "d.reason", Form::Text},
    {"problem", "d.fingerprint", Form::MaybeText},
    {"code", "d.last_code", Form::MaybeText},
    {"outcome", "d.last_outcome", Form::MaybeText},
    {"attempts", "d.attempts", Form::Number},
    {"unknown", "d.has_unknown", Form::Flag},
    {"duplicate", "d.possible_duplicate", Form::Flag},
    {"message", "d.provider_message_id", Form::MaybeText},
    {"set", "d.published_set", Form::Number},
    {"operation", "i.operation_id", Form::Operation},
    {"parent", "d.parent_id", Form::MaybeText},
    {"age", "d.created_at", Form::Past},
    {"due", "d.due_at", Form::DueTime},
    {"ended", "d.ended_at", Form::Past},
};

constexpr Column eventColumns[] = {
    {"id", "e.id", Form::Text},
    {"event", "e.id", Form::Text},
    {"type", "e.type", Form::Text},
    {"tenant", "e.tenant", Form::Text},
    {"state", "e.state", Form::EventState},
    {"reason", "e.reason", Form::MaybeText},
    {"age", "e.recorded_at", Form::Past},
};

template <size_t N>
const Column *columnOf(const Column (&columns)[N], const QString &field)
{
    const auto found = std::find_if(std::begin(columns), std::end(columns),
                                    [&](const Column &each) { return field == QLatin1String(each.field); });
    return found == std::end(columns) ? nullptr : found;
}

// Lists are filled up to a power of two with their last value, so that few different statements are prepared.
QVariantList padded(QVariantList values)
{
    qsizetype size = 1;
    while (size < values.size())
        size *= 2;
    while (values.size() < size)
        values += values.last();
    return values;
}

void addIn(FilterSql &sql, const char *expression, const QVariantList &values)
{
    const QVariantList bound = padded(values);
    QByteArray places = "?";
    for (qsizetype each = 1; each < bound.size(); ++each)
        places += ", ?";
    sql.condition += QByteArray(expression) + " IN (" + places + ")";
    sql.values += bound;
}

void addTexts(FilterSql &sql, const Column &column, const QStringList &texts)
{
    QVariantList values;
    for (const QString &text : texts)
        values += boundText(text);
    addIn(sql, column.expression, values);
    if (column.form == Form::MaybeText && texts.contains(QString()))
        sql.condition += QByteArray(" OR ") + column.expression + " IS NULL";
    // A code is the provider's own error name or the number of its answer: people know either.
    if (qstrcmp(column.field, "code") == 0) {
        sql.condition += " OR ";
        addIn(sql, "CAST(d.last_status AS text)", values);
    }
}

// The words stand in the text, since the indexes that serve them are made for one state each.
void addEventStates(FilterSql &sql, const Column &column, const QStringList &words)
{
    QByteArrayList conditions;
    for (const QString &word : words) {
        if (const auto state = fromText<EventState>(word))
            conditions += QByteArray(column.expression) + " = '" + toText(*state).latin1() + "'";
    }
    sql.condition += conditions.isEmpty() ? "1 = 0" : conditions.join(" OR ");
}

void addNumbers(FilterSql &sql, const Column &column, const QVariantList &numbers)
{
    if (column.form == Form::Operation)
        sql.condition += "d.id IN (SELECT i.delivery_id FROM sendoff_operation_item i WHERE ";
    addIn(sql, column.expression, numbers);
    if (column.form == Form::Operation)
        sql.condition += ")";
}

// A moment `distance` from now, or from `asOf`.
void addMoment(FilterSql &sql, Milliseconds distance, std::optional<Timestamp> asOf)
{
    if (asOf) {
        sql.condition += "$at(?)";
        sql.values += qint64((*asOf + distance).time_since_epoch().count());
    } else {
        sql.condition += "$now_plus(?)";
        sql.values += qint64(distance.count());
    }
}

Error noSuchField(FilteredRows rows)
{
    if (rows == FilteredRows::Events)
        return {ErrorCode::Invalid, QStringLiteral("events can't be chosen by that field; use one of: %1")
                                        .arg(filterFields(rows).join(QLatin1String(", ")))};
    return {ErrorCode::Invalid, QStringLiteral("the filter names an unknown field; use one of: %1")
                                    .arg(filterFields().join(QLatin1String(", ")))};
}

std::optional<Error> addComparison(FilterSql &sql, const Column &column, const FilterTerm &term,
                                   std::optional<Timestamp> asOf)
{
    const bool isAbove = term.op == FilterTerm::Operator::Above;
    switch (column.form) {
    case Form::Past: // longer ago is earlier
        sql.condition += QByteArray(column.expression) + (isAbove ? " < " : " > ");
        addMoment(sql, -term.duration, asOf);
        return std::nullopt;
    case Form::DueTime:
        sql.condition += QByteArray("d.ended_at IS NULL AND ") + column.expression + (isAbove ? " > " : " < ");
        addMoment(sql, term.duration, asOf);
        return std::nullopt;
    case Form::Number:
        if (qstrcmp(column.field, "attempts") != 0)
            break;
        sql.condition += QByteArray(column.expression) + (isAbove ? " > ?" : " < ?");
        sql.values += term.number;
        return std::nullopt;
    default:
        break;
    }
    return Error{ErrorCode::Invalid, QStringLiteral("%1 can't be compared; write %1:value").arg(term.field)};
}

Result<QVariantList> numbersOf(const Column &column, const FilterTerm &term)
{
    QVariantList numbers;
    for (const QString &value : term.values) {
        const bool isYes = value == QLatin1String("yes");
        std::optional<qint64> number;
        if (column.form != Form::Flag)
            number = filterNumber(value);
        else if (isYes || value == QLatin1String("no"))
            number = qint64(isYes);
        if (!number)
            return Error{ErrorCode::Invalid, column.form == Form::Flag
                                                 ? QStringLiteral("%1 must be yes or no").arg(term.field)
                                                 : QStringLiteral("%1 must be a number").arg(term.field)};
        numbers += *number;
    }
    return numbers;
}

std::optional<Error> addEquals(FilterSql &sql, const Column &column, const FilterTerm &term)
{
    if (term.values.isEmpty())
        return Error{ErrorCode::Invalid,
                     QStringLiteral("%1 has no value; write \"\" for the empty one").arg(term.field)};
    if (term.values.size() > maxValues)
        return Error{ErrorCode::Invalid, QStringLiteral("%1 lists more than %2 values; choose by a condition instead")
                                             .arg(term.field)
                                             .arg(maxValues)};
    switch (column.form) {
    case Form::Text:
    case Form::MaybeText:
        addTexts(sql, column, term.values);
        return std::nullopt;
    case Form::EventState:
        addEventStates(sql, column, term.values);
        return std::nullopt;
    case Form::Past:
    case Form::DueTime:
        return Error{ErrorCode::Invalid, QStringLiteral("%1 needs > or < and a duration, as in %1>1h").arg(term.field)};
    case Form::Number:
    case Form::Flag:
    case Form::Operation:
        break;
    }
    const Result<QVariantList> numbers = numbersOf(column, term);
    if (!numbers)
        return numbers.error();
    addNumbers(sql, column, *numbers);
    return std::nullopt;
}

// Live states stand in the hot table only, ended ones in the history only; so do due times and ends.
void noteTables(FilterSql &sql, const FilterTerm &term)
{
    if (term.field == QLatin1String("due"))
        sql.mayBeEnded = term.isNegated;
    if (term.field == QLatin1String("ended"))
        sql.mayBeLive = term.isNegated;
    if (term.field != QLatin1String("state"))
        return;
    sql.mayBeLive = sql.mayBeEnded = false;
    for (int index = 0; index <= int(DeliveryState::Unknown); ++index) {
        const auto state = static_cast<DeliveryState>(index);
        if (term.values.contains(toText(state)) != term.isNegated)
            (isLive(state) ? sql.mayBeLive : sql.mayBeEnded) = true;
    }
}

} // namespace

FilterSql &FilterSql::operator+=(const FilterSql &other)
{
    condition += other.condition;
    values += other.values;
    mayBeLive = mayBeLive && other.mayBeLive;
    mayBeEnded = mayBeEnded && other.mayBeEnded;
    return *this;
}

Result<FilterSql> termSql(const FilterTerm &term, FilteredRows rows, std::optional<Timestamp> asOf)
{
    const bool ofEvents = rows == FilteredRows::Events;
    const Column *column = ofEvents ? columnOf(eventColumns, term.field) : columnOf(deliveryColumns, term.field);
    if (!column)
        return noSuchField(rows);
    FilterSql sql;
    sql.condition = " AND (";
    if (const auto error = term.op == FilterTerm::Operator::Equals ? addEquals(sql, *column, term)
                                                                   : addComparison(sql, *column, term, asOf))
        return *error;
    // What is neither true nor false (a row without a code, a row that has not ended) is not what the term chooses.
    sql.condition += term.isNegated ? ") IS NOT TRUE" : ")";
    if (!ofEvents)
        noteTables(sql, term);
    return sql;
}

Result<FilterSql> operationItemsSql(const FilterTerm &term)
{
    const Column &column = *columnOf(deliveryColumns, QStringLiteral("operation"));
    const Result<QVariantList> numbers = numbersOf(column, term);
    if (!numbers)
        return numbers.error();
    FilterSql sql;
    sql.condition = " AND ";
    addIn(sql, column.expression, *numbers);
    return sql;
}

Result<FilterSql> filterSql(const Filter &filter, FilteredRows rows, std::optional<Timestamp> asOf)
{
    FilterSql whole;
    for (const FilterTerm &term : filter.canonical().terms) {
        const Result<FilterSql> sql = termSql(term, rows, asOf);
        if (!sql)
            return sql.error();
        whole += *sql;
    }
    return whole;
}

} // namespace sendoff::store
