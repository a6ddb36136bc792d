#pragma once
#include <QByteArray>
#include <QStringList>

namespace sendoff::store {

class Session;

// The columns that sendoff_delivery_hot and sendoff_delivery_history share, in order, "id, event_id, …".
extern const char *const deliveryColumns;

// Counting into sendoff_minute: "INSERT INTO …" and "ON CONFLICT … add" around a SELECT of minute, engine, provider,
// channel, lane, kind, word, count, duration.
extern const QByteArray minuteTarget;
extern const QByteArray minuteConflict;

// Moves rows of the hot table that hold an ended state to the history, counts their ends, removes their frozen content
// and edited payloads, and scrubs the secrets of events of which nothing may still send. `idRows` is a $rows parameter
// of {"id": …}. What is counted are ends, not rows: a row that a person brings back and that ends again counts twice.
void moveToHistory(Session &session, const QString &idRows);

// The two halves of the scrub, for a statement that moves rows by itself: events are locked first, in order, so that
// two engines that end the last two deliveries at once can't both think the other one still sends.
void lockEvents(Session &session, const QStringList &events);
void scrubFinishedEvents(Session &session, const QStringList &events);

} // namespace sendoff::store
