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
    // What a state in the filter says of the two tables: one that can't match is not searched.
    bool mayBeLive = true;
    bool mayBeEnded = true;

    QByteArray ofLive() const { return mayBeLive ? condition : condition + " AND 1 = 0"; }
    QByteArray ofEnded() const { return mayBeEnded ? condition : condition + " AND 1 = 0"; }
};

enum class FilteredRows {
    Deliveries, // table alias d
    Events      // table alias e; only id, event, type, tenant, state and age apply
};

// `asOf` is the moment that ages are measured from, the database's clock where it is absent.
// Invalid: a field that these rows don't have, or more values than a statement may carry.
Result<FilterSql> filterSql(const Filter &filter, FilteredRows rows, std::optional<Timestamp> asOf = std::nullopt);

} // namespace sendoff::store
