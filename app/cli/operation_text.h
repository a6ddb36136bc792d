#pragma once
#include "app/cli/output.h"
#include "domain/records.h"

namespace sendoff::app {

// What an operation would do, and what it has done, for people.
void printPreview(Output &out, const QString &verb, const PreviewRecord &preview);
void printOperation(Output &out, const OperationRecord &operation);

// Whether nothing can change about it any more.
bool isEnded(const OperationRecord &operation);

} // namespace sendoff::app
