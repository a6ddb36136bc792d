#pragma once
#include "store/operation_store.h"

namespace sendoff::store {

// The edit of a delivery: a linked copy is scheduled in its place, and the row itself ends as superseded, in one
// commit. Only the batch of an operation calls it.

struct EditRequest
{
    qint64 operation = 0;
    const OperationParameters *parameters = nullptr; // address, locale, payload patch; what is empty stays
    QByteArray hashKey;
    Timestamp now;
};
struct EditedRow
{
    const OperationRow *row; // locked
    Timestamp due;
    std::optional<Milliseconds> lifetime; // a new expiry, from its due time
};
struct EditResult
{
    DeliveryId child; // the copy; empty: none was made
    QString whyNot;   // then
};
// One result a row, in their order. The copy has the same event, channel, recipient and destination, one revision
// more, no attempts and no frozen content. An edited payload is stored without its event's secrets.
std::vector<EditResult> editRows(Session &session, const EditRequest &request, const std::vector<EditedRow> &rows);

// What stands in pins of a row whose payload is in sendoff_edit, as SQL: without that payload it must not be sent
// again.
constexpr auto editedPins = "'[\"edited\"]'";

} // namespace sendoff::store
