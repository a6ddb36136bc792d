#pragma once
#include "domain/delivery.h"
#include "domain/result.h"
#include <QByteArray>
#include <QString>
#include <QStringList>

namespace sendoff {

// What a person's edit makes of a delivery's address and payload. Pure.

// An address as the relay would have taken it: in its form on the wire, with its hash and traces. Invalid, without the
// address: it can't be written to. The inbox has none.
struct WrittenAddress
{
    QString address;
    QString hash;
    AddressTraces traces;
};
Result<WrittenAddress> writtenAddress(Channel channel, const QString &address, const QByteArray &hashKey);

// Whether an RFC 7396 patch would change what one of these pointers leads to in the payload, or take it away.
bool patchTouches(const QByteArray &payload, const QByteArray &patch, const QStringList &pointers);

// The edited payload with the values at these pointers taken from the event's own: an edit is stored without its
// event's secrets, so that they stand in one place only. What the event does not have stays as it is.
Result<QByteArray> withValuesOf(const QByteArray &edited, const QByteArray &original, const QStringList &pointers);

} // namespace sendoff
