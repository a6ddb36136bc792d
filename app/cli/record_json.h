#pragma once
#include "app/cli/json.h"
#include "domain/records.h"

namespace sendoff::app {

// What people see of the store, as the documents that --json prints. The names are those of the people's views.
JsonValue json(const DeliveryRecord &record);
JsonValue json(const AttemptRecord &record);
JsonValue json(const ReceiptRecord &record);
JsonValue json(const EventRecord &record);
JsonValue json(const OperationRecord &record);
JsonValue json(const OperationItemRecord &record);
JsonValue json(const DeliveryStory &story); // a delivery with its attempts, receipts, operations, event, verdict
JsonValue json(const EventStory &story);
JsonValue json(const EngineRecord &record);
JsonValue json(const ProviderRecord &record);
JsonValue json(const BacklogRecord &record);
JsonValue json(const PauseRecord &record);
JsonValue json(const StatusRecord &record);
JsonValue json(const PreviewRecord &record);
JsonValue json(const NoteRecord &record);
JsonValue json(const ProblemRecord &record);
JsonValue json(const PersonEvent &event);
JsonValue json(const PersonContact &contact);
JsonValue json(const PersonPreference &preference);
JsonValue json(const PersonSuppression &suppression);
JsonValue json(const PersonRecord &record);
JsonValue json(const ForecastRecord &record);
JsonValue json(const ActivityPoint &point);

template <typename Record>
JsonValue jsonList(const std::vector<Record> &records)
{
    std::vector<JsonValue> items;
    items.reserve(records.size());
    for (const Record &record : records)
        items.push_back(json(record));
    return JsonValue::array(std::move(items));
}

} // namespace sendoff::app
