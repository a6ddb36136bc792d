#pragma once
#include "domain/filter.h"
#include "domain/words.h"
#include "store/database.h"
#include "store/filter_sql.h"
#include <vector>

namespace sendoff::store {

// A way through all deliveries that a filter may choose, in a list's order, whose steps cost the same whatever the
// filter is. For the lists of this module.

// Rows of one table, by one index.
struct ScanPart
{
    QByteArray from; // "sendoff_delivery_hot d", perhaps joined
    FilterSql reach; // the rows that the index leads to
    FilterSql rest;  // what must be looked at row by row
    bool isGathered =
        false; // `reach` finds its rows in no order, for a list few of them; otherwise in the list's order

    bool isWalked() const { return !isGathered && !rest.condition.isEmpty(); }
};

struct Scan
{
    QByteArray key; // column that the list is in order of, then the id
    bool isDescending = true;
    std::vector<ScanPart> parts; // no row is in two
};

// A place between two rows of a scan; the key in the database's own words, which are finer than milliseconds.
struct ScanPlace
{
    QString key;
    QString id;
};

enum class ScanFor {
    FirstPage, // a list from its beginning
    NextPage,  // behind a place
    Count      // in any order
};

// The most rows that a gathered part of a list finds.
constexpr int maxGathered = 2'000;

// Chooses the way; may ask the store how many rows a term has. Invalid as filterSql().
Result<Scan> planScan(Session &session, const Filter &filter, DeliverySort sort, ScanFor purpose);

// What a part's rows are selected with, for `rest` to name: deliveryRecordColumns and some more.
QByteArray scanColumns();
// " AND (d.key, d.id) < (?, ?)" in the scan's direction.
FilterSql behind(const Scan &scan, const ScanPlace &place);
FilterSql notBehind(const Scan &scan, const ScanPlace &place);
QByteArray orderOf(const Scan &scan, const char *alias = "d.");
// The part as a sub-select named d, of at most `bound` rows looked at; values are added in order.
QByteArray lookedAt(const Scan &scan, const ScanPart &part, const FilterSql &between, int bound, QVariantList &values);

} // namespace sendoff::store
