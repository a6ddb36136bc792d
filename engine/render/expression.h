#pragma once
#include "domain/result.h"
#include <QString>
#include <QStringList>
#include <optional>

namespace sendoff::render {

enum class Format { None, Date, Time, DateTime, Money };
enum class Encoding { None, Url, Json };

// What stands between the braces of a variable: "driver.name|or:there", "start|date", "price|money|json".
// At most one format, one encoding and one default, in any order.
struct Expression
{
    QStringList path; // {"."}: the item of the innermost section
    Format format = Format::None;
    Encoding encoding = Encoding::None;
    std::optional<QString> fallback; // for a value that is missing, null or empty; never formatted, still encoded

    QString name() const { return path.size() == 1 ? path.first() : path.join(u'.'); }
};

// Errors name the part that is wrong and what would be right.
Result<Expression> parseExpression(QStringView text);

// The dotted name of a section, which takes no filter.
Result<QStringList> parseName(QStringView text);

} // namespace sendoff::render
