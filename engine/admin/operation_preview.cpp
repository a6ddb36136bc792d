#include "admin/operation_preview.h"

#include "store/delivery_queries.h"
#include "store/operation_store.h"

#include <QMap>
#include <QSet>
#include <algorithm>

namespace sendoff::admin {

namespace {

constexpr int sampleRows = 5;

// The largest groups first.
std::vector<std::pair<QString, qint64>> sorted(const QMap<QString, qint64> &counts)
{
    std::vector<std::pair<QString, qint64>> pairs;
    for (auto it = counts.cbegin(); it != counts.cend(); ++it)
        pairs.emplace_back(it.key(), it.value());
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    return pairs;
}

Result<OperationPreview> previewEvents(store::Database &database, const Filter &filter)
{
    const auto scope = store::rejectedEventScope(database, filter, int(countCap));
    if (!scope)
        return scope.error();
    OperationPreview preview;
    preview.record.watermark = scope->watermark;
    preview.record.count = scope->count;
    preview.record.changeable = scope->count;
    return preview;
}

} // namespace

Result<OperationPreview> previewOperation(store::Database &database, Verb verb, const Filter &filter)
{
    if (verb == Verb::RetryEvent)
        return previewEvents(database, effectiveFilter(verb, filter));
    const auto scope = store::operationScope(database, filter, int(countCap));
    if (!scope)
        return scope.error();
    OperationPreview result;
    PreviewRecord &preview = result.record;
    preview.watermark = scope->watermark;
    preview.count = qint64(scope->rows.size());
    QSet<QString> people;
    QMap<QString, qint64> channels;
    QMap<QString, qint64> codes;
    for (const store::OperationRow &row : scope->rows) {
        people.insert(row.recipient);
        ++channels[row.channel];
        ++codes[row.code];
        preview.expired += row.isExpired ? 1 : 0;
        preview.contentGone += row.contentGone || (row.hasSecret && row.secretGone) ? 1 : 0;
        preview.possibleDuplicates += row.hasUnknown ? 1 : 0;
        const store::RowChange change = changeFor(verb, row);
        if (change.kind != store::RowChange::Kind::Skip)
            ++preview.changeable;
        else if (result.firstRefusal.isEmpty())
            result.firstRefusal = change.detail;
    }
    preview.people = people.size();
    preview.byChannel = sorted(channels);
    preview.byCode = sorted(codes);
    const auto samples = store::listDeliveries(database, filter, DeliverySort::Newest, {}, sampleRows);
    if (!samples)
        return samples.error();
    preview.samples = samples->rows;
    return result;
}

} // namespace sendoff::admin
