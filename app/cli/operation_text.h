#pragma once
#include "app/cli/output.h"
#include "domain/records.h"

namespace sendoff::app {

// What an operation would do, and what it has done, for people. `command` is what would do it.
void printPreview(Output &out, const QString &verb, const PreviewRecord &preview, const QString &command);
void printOperation(Output &out, const OperationRecord &operation);
// Why rows were not changed, the most frequent reasons first, at most five.
void printSkipped(Output &out, const std::vector<OperationItemRecord> &skipped);

// What it is about: its filter, or the provider, lane, channel or object it names.
QString targetOf(const OperationRecord &operation);
// How far it is, in one line: "running 12,400 of 40,000 (31 %), 3 failed again, about 4 min".
QString progressText(const OperationRecord &operation, Timestamp now);

// Whether nothing can change about it any more, but for outcomes that still arrive.
bool isEnded(const OperationRecord &operation);

} // namespace sendoff::app
