#pragma once
#include "domain/clock.h"
#include "domain/filter.h"
#include "domain/result.h"
#include <QByteArray>
#include <QVariant>
#include <optional>

namespace sendoff::store {

// A filter as conditions to stand behind a WHERE: " AND d.state IN (?)…". Its text is made of our own literals only;
// everything a person wrote is in `values`, in the order of the question marks.
struct FilterSql
{
    QByteArray condition;
    QVariantList values;
    // What the filter says of the two tables of deliveries: one that can't match is not searched.
    bool mayBeLive = true;
    bool mayBeEnded = true;

    QByteArray ofLive() const { return mayBeLive ? condition : condition + " AND 1 = 0"; }
    QByteArray ofEnded() const { return mayBeEnded ? condition : condition + " AND 1 = 0"; }
    // Both must hold.
    FilterSql &operator+=(const FilterSql &other);
};

using FilteredRows = FilterRows; // deliveries have the alias d, events e

// `asOf` is the moment that times are measured from, the database's clock where it is absent.
// Invalid: a field that these rows don't have, no number where one must stand, or more values than a statement may
// carry.
Result<FilterSql> filterSql(const Filter &filter, FilteredRows rows, std::optional<Timestamp> asOf = std::nullopt);
// The same of one term, which must be canonical.
Result<FilterSql> termSql(const FilterTerm &term, FilteredRows rows, std::optional<Timestamp> asOf = std::nullopt);
// The items of sendoff_operation_item i that an operation's term names.
Result<FilterSql> operationItemsSql(const FilterTerm &term);

} // namespace sendoff::store
