#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

namespace sendoff {

// What a filter chooses among; the two know different fields and words.
enum class FilterRows { Deliveries, Events };

// One condition of a filter: "state:dead", "age>1h", "attempts>3", "-channel:sms".
struct FilterTerm
{
    enum class Operator { Equals, Above, Below, Older = Above, Younger = Below };
    QString field;
    Operator op = Operator::Equals;
    QStringList values;       // alternatives of Equals ("state:dead,unknown")
    Milliseconds duration{0}; // of Above and Below with a time: age (since creation), due (until then), ended (since)
    bool isNegated = false;   // chooses exactly the rows that the term without it does not
    qint64 number = 0;        // of Above and Below with a count: attempts

    friend bool operator==(const FilterTerm &, const FilterTerm &) = default;
};

// Where a text can't be read, and why.
struct FilterProblem
{
    qsizetype position = 0; // from 0, in the text; its size where something is missing at the end
    qsizetype length = 0;   // characters that are wrong, 0 at the end of the text
    QString message;        // what is wrong and the remedy, without the position
};

// The one grammar for lists, bulk operations and saved views: terms joined by blanks, all must hold. A term is a field
// with ":" and alternatives ("state:dead,unknown"), or with ">" or "<" ("age>1h", also "age:>1h"); "-" (also "!") in
// front turns it round. Values may be quoted ("…", with \" and \\ inside). Fields and many words are closed sets.
struct Filter
{
    std::vector<FilterTerm> terms;

    // Invalid, naming the position (from 1) and the remedy: unknown field or word, open quote, bad duration or number,
    // U+0000, half a character. `problem` is told the same as numbers.
    static Result<Filter> parse(const QString &text, FilterRows rows = FilterRows::Deliveries,
                                FilterProblem *problem = nullptr);
    // What toJson() wrote, by this or an older program. Invalid, naming the term and the remedy.
    static Result<Filter> fromJson(const QByteArray &json, FilterRows rows = FilterRows::Deliveries);

    // Equal filters have one text and one JSON: terms and alternatives in order, each once, aliases and case settled.
    Filter canonical() const;
    QString toText() const;
    // A list of {"field":"state","is":["dead"]}, {"field":"age","above":3600000} (milliseconds), "below"; a negated
    // term has "not", "notAbove", "notBelow".
    QByteArray toJson() const;
    bool isEmpty() const { return terms.empty(); }
};

// The fields in canonical order. Deliveries: id event type tenant user recipient domain role channel provider lane
// category state reason problem code outcome attempts unknown duplicate message set operation parent; age due ended
// take > or <. Events: id event type tenant state reason; age. "error" is read as "code".
const QStringList &filterFields(FilterRows rows = FilterRows::Deliveries);

} // namespace sendoff
