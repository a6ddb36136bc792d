#pragma once
#include "domain/records.h"
#include "store/database.h"

namespace sendoff::store {

// Rows as the records people see: which columns to select, and how to read them in that order.

// Of sendoff_delivery_hot, sendoff_delivery_history or both; narrow, no content.
extern const char *const deliveryRecordColumns;
// The same names from a sub-select, with times as milliseconds.
extern const char *const deliveryRecordValues;
constexpr int deliveryRecordWidth = 34; // values; what is selected behind them starts here
DeliveryRecord deliveryRecord(const Cursor &row);

extern const char *const eventRecordValues; // alias e
EventRecord eventRecord(const Cursor &row);

extern const char *const operationRecordValues; // alias o
constexpr int operationRecordWidth = 22;
OperationRecord operationRecord(const Cursor &row);

} // namespace sendoff::store
