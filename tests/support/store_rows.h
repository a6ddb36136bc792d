#pragma once
#include "domain/clock.h"
#include "domain/words.h"
#include "tests/support/test_database.h"
#include <QString>

namespace sendoff::test {

// A delivery row as a test wants it; live states go to the hot table, ended ones to the history. Times are relative to
// the database's clock.
struct RowSpec
{
    QString id;    // empty: a new UUID
    QString event; // empty: an event of its own is made; otherwise made where it is missing
    QString type = QStringLiteral("booking.confirmed");
    QString tenant = QStringLiteral("");
    QString category = QStringLiteral("bookings");
    Channel channel = Channel::Email;
    QString provider = QStringLiteral("resend");
    Lane lane = Lane::Normal;
    QString user = QStringLiteral("u1");
    QString role = QStringLiteral("driver");
    QString address = QStringLiteral("jo@example.com");
    DeliveryState state = DeliveryState::Ready;
    Reason reason = Reason::None;
    bool hasSecret = false;
    bool hasUnknown = false;
    int attempts = 0;
    int failures = 0;
    QString code;
    int status = 0;
    Milliseconds age{60'000}; // since creation
    Milliseconds dueIn{0};    // may be negative
    Milliseconds expiresIn{86'400'000};
    Milliseconds endedAgo{1'000}; // of ended states
};

// Answers the row's id. Fails the test's program on an error.
QString insertDelivery(TestDatabase &store, const RowSpec &spec);
// `count` rows like `spec` in few statements, with ids "prefix-00000"…, each with an event of its own.
void insertDeliveries(TestDatabase &store, const RowSpec &spec, const QString &prefix, int count);
// An event of its own; answers its id.
QString insertEvent(TestDatabase &store, const QString &id, EventState state = EventState::Relayed,
                    const QByteArray &payload = "{\"booking\":981}");

} // namespace sendoff::test
