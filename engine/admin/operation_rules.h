#pragma once
#include "domain/filter.h"
#include "domain/result.h"
#include "store/operation_store.h"
#include <QString>
#include <optional>

namespace sendoff::admin {

// What people may command and which rows it may change. Pure; preview and execution use the same rules.

enum class Verb {
    Retry,     // sends ended or held deliveries again
    Cancel,    // ends what waits
    Discard,   // takes dead, unknown, bounced and held ones off the table for good
    RetryEvent // gives rejected events three new tries
};
std::optional<Verb> verbFromText(const QString &text); // "retry", "cancel", "discard", "retry_event"
Error unknownVerb();

// What the verb makes of one row; Skip carries the reason for people.
store::RowChange changeFor(Verb verb, const store::OperationRow &row);

// A stored operation's text back as a plan. Invalid where a newer program wrote it.
Result<store::OperationPlan> planOperation(const QString &verb, const QString &filter, qint64 rate);
// The text to store. RetryEvent chooses rejected events by itself: that state needs no term.
QString storedFilter(Verb verb, const Filter &filter);
// The filter that rows are chosen with.
Filter effectiveFilter(Verb verb, const Filter &filter);

constexpr qint64 defaultRate = 500; // retried rows a second
constexpr qint64 maxRate = 1'000;

} // namespace sendoff::admin
