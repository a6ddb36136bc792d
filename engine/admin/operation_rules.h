#pragma once
#include "domain/filter.h"
#include "domain/result.h"
#include "store/operation_store.h"
#include <QString>
#include <optional>

namespace sendoff::admin {

// What people may command and which rows it may change. Pure; preview and execution use the same rules.

enum class Verb {
    Retry,      // sends ended or held deliveries again
    Edit,       // sends an edited copy in place of a delivery
    Cancel,     // ends what waits
    Discard,    // takes dead, unknown, bounced and held ones off the table for good
    Reschedule, // lets what waits wait until another time
    RetryEvent, // gives rejected events three new tries
    Pause,      // the rest changes what all engines heed, at once
    Resume,
    Quota,
    Reset,
    Note
};
// "retry", "retry_event" …: the words of the store, the command line and the screens.
std::optional<Verb> verbFromText(const QString &text);
Error unknownVerb();
bool isControl(Verb verb);
// Rows are sent again at a rate.
bool isPaced(Verb verb);

// Why these parameters can't be meant with this verb: Invalid, naming the parameter.
Result<void> checkParameters(Verb verb, const OperationParameters &parameters);

// What the verb makes of one row; Skip carries the reason for people.
store::RowChange changeFor(Verb verb, const store::OperationRow &row, const OperationParameters &parameters);

// A stored operation back as a plan. Invalid where a newer program wrote it. `hashKey`: of edited addresses.
Result<store::OperationPlan> planOperation(const store::StoredOperation &stored, const QByteArray &hashKey);
// The text to store. RetryEvent chooses rejected events by itself: that state needs no term.
QString storedFilter(Verb verb, const Filter &filter);
// The filter that rows are chosen with.
Filter effectiveFilter(Verb verb, const Filter &filter);

constexpr qint64 defaultRate = 500; // retried rows a second, where no quota says less
constexpr qint64 maxRate = 1'000;

} // namespace sendoff::admin
