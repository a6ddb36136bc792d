#pragma once
#include "domain/clock.h"
#include "domain/ids.h"
#include "domain/words.h"
#include <QByteArray>
#include <QString>
#include <optional>

namespace sendoff {

// What makes a delivery the same delivery.
struct DeliveryKey
{
    EventId event;
    Channel channel = Channel::Email;
    QString recipient;   // user id, or the address hash where there is no user
    QString destination; // the contact row's id (a device); empty where there is one address
    int revision = 0;    // +1 for each edit by a person

    friend bool operator==(const DeliveryKey &, const DeliveryKey &) = default;
};

// The UUIDv5 of the key: delivery id and idempotency key towards the provider in one. Fields are length-prefixed,
// so that no two keys spell the same text.
DeliveryId deliveryId(const DeliveryKey &key);

// An address reduced to what lists, logs and look-ups may hold.
struct AddressTraces
{
    QString mask;   // "j…@example.com", "…4567", "ExponentPushToken[…ab12]"
    QString domain; // of an email address, lower case; empty otherwise
    QString last4;  // of a phone number; empty otherwise
};
AddressTraces addressTraces(Channel channel, const QString &address);
// Case and white space folded for matching, never for sending. Push tokens keep their case.
QString foldedAddress(Channel channel, const QString &address);
// Hex HMAC-SHA256 of channel and folded address. An empty key is allowed on embedded stores only.
QString addressHash(Channel channel, const QString &address, const QByteArray &key);

// What the relay makes of an event: one row to insert.
struct PlannedDelivery
{
    DeliveryId id;
    DeliveryKey key;
    UserId user; // empty where only an address was given
    QString address;
    QString addressHash;
    AddressTraces traces;
    QString provider; // empty for the inbox and where no provider carries the channel
    QString role;     // of the notify rule, "driver"
    QString element;  // JSON pointer to this recipient's own object in the payload, empty: none
    QString templateName;
    QString locale;
    QString timeZone; // IANA name, empty: unknown
    Lane lane = Lane::Normal;
    QString category;
    DeliveryState state = DeliveryState::Ready; // Ready, Scheduled, Suppressed or Held
    Reason reason = Reason::None;
    QString detail;                 // one sentence for a person, no address
    std::optional<Timestamp> dueAt; // not before; nothing: now
    Milliseconds lifetime{};        // from creation (or from dueAt) to the end where the event has no expiry of its own
    std::optional<Timestamp> expiresAt;
    bool hasSecret = false;
};

// One row handed to a worker by a claim, with all that is needed to render and send it.
struct ClaimedDelivery
{
    DeliveryId id;
    LeaseToken token;
    EventId event;
    QString eventType;
    QString tenant;
    Channel channel = Channel::Email;
    QString provider;
    Lane lane = Lane::Normal;
    UserId user;
    QString recipient;
    QString address;
    QString role;
    QString element;
    QString templateName;
    QString locale;
    QString timeZone;
    QString category;
    qint64 publishedSet = 0; // pinned at relay
    QByteArray payload;
    QByteArray frozen; // exact bytes of the first attempt; empty before one failed
    Timestamp createdAt;
    Timestamp claimedAt; // database's clock
    Timestamp expiresAt;
    std::optional<Timestamp> firstHandedAt; // first attempt, the start of the provider's idempotency window
    int claims = 0;
    int attempts = 0; // before this one
    int failures = 0;
    int losses = 0; // workers lost in a row before this claim
    bool hasSecret = false;
    bool hasUnknown = false; // an earlier attempt's outcome is unresolved
};

} // namespace sendoff
