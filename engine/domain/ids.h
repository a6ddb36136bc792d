#pragma once
#include <QHash>
#include <QString>
#include <compare>

namespace sendoff {

// A text id that can't be mixed up with another kind of id. Tag only tells the kinds apart.
template <typename Tag>
struct TextId
{
    QString value;

    TextId() = default;
    explicit TextId(QString text)
        : value(std::move(text))
    {}
    bool isEmpty() const { return value.isEmpty(); }
    friend bool operator==(const TextId &, const TextId &) = default;
    friend bool operator<(const TextId &a, const TextId &b) { return a.value < b.value; }
    friend size_t qHash(const TextId &id, size_t seed = 0) { return ::qHash(id.value, seed); }
};

using EventId = TextId<struct EventTag>;       // given by the application, at most 200 bytes
using DeliveryId = TextId<struct DeliveryTag>; // UUIDv5 of the delivery key, see delivery.h
using UserId = TextId<struct UserTag>;         // the application's own name for a person

// The fence: moves at every change of a delivery. Who writes must hold the newest one.
struct LeaseToken
{
    qint64 value = 0;
    friend auto operator<=>(const LeaseToken &, const LeaseToken &) = default;
};

} // namespace sendoff
