#pragma once
#include <QStringList>

namespace sendoff::store {

class Session;

// The columns that sendoff_delivery_hot and sendoff_delivery_history share, in order, "id, event_id, …".
extern const char *const deliveryColumns;

// Moves rows of the hot table that hold an ended state to the history, removes their frozen content, and scrubs the
// secrets of events of which nothing may still send. `idRows` is a $rows parameter of {"id": …}.
void moveToHistory(Session &session, const QString &idRows);

// The two halves of the scrub, for a statement that moves rows by itself: events are locked first, in order, so that
// two engines that end the last two deliveries at once can't both think the other one still sends.
void lockEvents(Session &session, const QStringList &events);
void scrubFinishedEvents(Session &session, const QStringList &events);

} // namespace sendoff::store
