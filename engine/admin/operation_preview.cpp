#include "admin/operation_preview.h"

#include "store/operation_store.h"
#include "store/provider_quota.h"

#include <QMap>
#include <QSet>
#include <algorithm>
#include <cmath>

namespace sendoff::admin {

namespace {

using store::OperationScope;
using store::RowChange;

constexpr double minSpare = 0.1; // of a quota that is used up: a row now and then still gets through

// The largest groups first.
CountedWords sorted(const QMap<QString, qint64> &counts)
{
    CountedWords pairs;
    for (auto it = counts.cbegin(); it != counts.cend(); ++it)
        pairs.emplace_back(it.key(), it.value());
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    return pairs;
}

Result<PreviewRecord> previewEvents(store::Database &database, const Filter &filter)
{
    const auto scope = store::rejectedEventScope(database, filter, int(countCap));
    if (!scope)
        return scope.error();
    PreviewRecord preview;
    preview.watermark = scope->watermark;
    preview.count = scope->count;
    preview.isCapped = scope->count >= countCap;
    preview.changeable = scope->count;
    return preview;
}

// Numbers of rows that are alike to the rules.
void add(PreviewRecord &preview, const OperationScope &scope, const PreviewQuestion &question)
{
    QMap<QString, qint64> channels;
    QMap<QString, qint64> providers;
    QMap<QString, qint64> codes;
    QMap<QString, qint64> refusals;
    for (const auto &[row, count] : scope.groups) {
        channels[row.channel] += count;
        providers[row.provider] += count;
        codes[row.code] += count;
        preview.expired += row.isExpired ? count : 0;
        preview.contentGone += row.contentGone || (row.hasSecret && row.secretGone) ? count : 0;
        preview.possibleDuplicates += row.hasUnknown ? count : 0;
        const RowChange change = changeFor(question.verb, row, question.parameters);
        if (change.kind != RowChange::Kind::Skip)
            preview.changeable += count;
        else
            refusals[change.detail] += count;
    }
    preview.byChannel = sorted(channels);
    preview.byProvider = sorted(providers);
    preview.byCode = sorted(codes);
    preview.refusals = sorted(refusals);
}

// How fast the rows would go, and for how long.
Result<void> addPace(PreviewRecord &preview, store::Database &database, int askedRate)
{
    QStringList names;
    for (const auto &[name, count] : preview.byProvider)
        names += name;
    const auto spare = store::spareQuota(database, names);
    if (!spare)
        return spare.error();
    preview.sparePerSecond = spare->isLimited ? std::max(spare->perSecond, minSpare) : 0;
    if (askedRate > 0)
        preview.rate = askedRate;
    else if (spare->isLimited)
        preview.rate = int(std::clamp<double>(std::floor(preview.sparePerSecond / 2), 1, double(defaultRate)));
    else
        preview.rate = int(defaultRate);
    const double perSecond =
        spare->isLimited ? std::min(double(preview.rate), preview.sparePerSecond) : double(preview.rate);
    preview.finishes = Milliseconds(qint64(std::ceil(double(preview.count) * 1'000 / perSecond)));
    return {};
}

} // namespace

Result<PreviewRecord> previewOperation(store::Database &database, const PreviewQuestion &question)
{
    if (isControl(question.verb))
        return PreviewRecord{};
    if (question.verb == Verb::RetryEvent)
        return previewEvents(database, effectiveFilter(question.verb, question.filter));
    auto scope = store::operationScope(database, question.filter, int(countCap), question.parameters.dueAt);
    if (!scope)
        return scope.error();
    PreviewRecord preview;
    preview.watermark = scope->watermark;
    preview.count = scope->count;
    preview.isCapped = scope->isCapped;
    preview.people = scope->people;
    add(preview, *scope, question);
    preview.samples = std::move(scope->samples);
    if (isPaced(question.verb)) {
        if (const Result<void> paced = addPace(preview, database, question.rate); !paced)
            return paced.error();
    }
    return preview;
}

} // namespace sendoff::admin
