#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include <QByteArray>
#include <QString>
#include <optional>

namespace sendoff {

// What a person's command says beyond the rows it chooses. A plain value; stored as JSON in
// sendoff_operation.parameters.
struct OperationParameters
{
    std::optional<Timestamp> dueAt;       // reschedule: the new time
    std::optional<Milliseconds> duration; // pause, quota: ends by itself after this
    std::optional<double> perSecond;      // quota: the limit for that time
    QString targetKind;      // pause, resume: provider lane channel all; note: problem delivery event provider user
    QString target;          // its name; empty for all
    QString address;         // edit: the new address, in clear until the operation has ended
    QString locale;          // edit
    QByteArray payloadPatch; // edit: an RFC 7396 merge patch of the payload
    QString text;            // note

    friend bool operator==(const OperationParameters &, const OperationParameters &) = default;
};

QByteArray toJson(const OperationParameters &parameters);
// Invalid, naming the key: what an older or newer program, or a hand, wrote wrongly.
Result<OperationParameters> operationParameters(const QByteArray &json);

// The payload with an RFC 7396 merge patch applied; numbers keep their text. Invalid: either is no object, or the
// result is larger than a payload may be.
Result<QByteArray> mergePatched(const QByteArray &payload, const QByteArray &patch);

} // namespace sendoff
