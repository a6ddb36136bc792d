#pragma once
#include "domain/filter.h"
#include <optional>

namespace sendoff {

// What may stand behind a field's name.
enum class FilterKind {
    Text,     // anything
    Words,    // one of a closed set
    Identity, // a number that only names
    Count,    // a number that can also be compared
    Time      // a duration, only compared
};

struct FilterField
{
    QString name;
    FilterKind kind = FilterKind::Text;
    QStringList words = {}; // of Words
};

const std::vector<FilterField> &filterFieldTable(FilterRows rows);
// By name or by an alias of it; nullptr where there is none.
const FilterField *filterField(const QString &name, FilterRows rows);

bool isCompared(FilterKind kind);
// Digits as a number that a store can hold, nothing where it is none.
std::optional<qint64> filterNumber(const QString &text);
// The form in which a value is compared: domains in lower case, numbers without leading zeros.
QString canonicalValue(const FilterField &field, const QString &value);
// Why a value can't stand there, empty where it can.
QString valueProblem(const FilterField &field, const QString &value);

// What a person typed, short and on one line, for an error text.
QString quotedForError(const QString &text);
// Half of a character or U+0000, which no store keeps: its position, -1 where there is none.
qsizetype unstorablePosition(const QString &text);

} // namespace sendoff
