#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include <QString>
#include <QStringList>
#include <vector>

namespace sendoff {

// One condition of a filter: "state:dead", "age>1h".
struct FilterTerm
{
    enum class Operator { Equals, Older, Younger };
    QString field;
    Operator op = Operator::Equals;
    QStringList values;       // alternatives of Equals ("state:dead,unknown")
    Milliseconds duration{0}; // of Older and Younger
};

// The one grammar for lists, bulk operations and saved views: terms joined by blanks, all must hold.
// Values may be quoted ("…", with \" and \\ inside). Fields are a closed set, see filterFields().
struct Filter
{
    std::vector<FilterTerm> terms;

    // Refuses with the position (1-based) and the remedy: unknown field, unknown word, open quote, bad duration,
    // U+0000.
    static Result<Filter> parse(const QString &text);
    QString toText() const; // canonical
    bool isEmpty() const { return terms.empty(); }
};

// id event type tenant user recipient role channel provider lane category state reason code outcome; age (Older,
// Younger).
const QStringList &filterFields();

} // namespace sendoff
