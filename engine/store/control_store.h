#pragma once
#include "domain/operation.h"
#include "domain/result.h"
#include "store/database.h"
#include <QStringList>

namespace sendoff::store {

// What people set for all engines at once: pauses, a lower quota, a breaker closed by hand, a note.

struct Control
{
    QString verb; // pause resume quota reset note
    OperationParameters parameters;
    QString reason;
    QString actor;
};
constexpr Milliseconds defaultQuotaDuration{3'600'000};
bool isControl(const QString &verb);
// Why this can't be meant, as far as the text alone tells: Invalid, naming the parameter.
Result<void> checkControl(const Control &control);
// Carries it out in the caller's transaction; answers in one sentence what stands now. NotFound: no such provider.
Result<QString> applyControl(Session &session, const Control &control);

// The providers that the store knows, by name.
Result<QStringList> providerNames(Database &database);

} // namespace sendoff::store
