#include "domain/delivery.h"

#include "domain/address.h"
#include <QCryptographicHash>
#include <QMessageAuthenticationCode>
#include <QUuid>

namespace sendoff {

namespace {

// Sendoff's own name space for UUIDv5. Never change it: delivery ids would change with it.
const QUuid deliveryNamespace(0x6f1d0c52, 0x2f6b, 0x5d0e, 0x9a, 0x41, 0x7d, 0x3c, 0x55, 0x8e, 0x90, 0x1b);

void appendField(QByteArray &text, const QByteArray &field)
{
    text += QByteArray::number(field.size()) + ':' + field;
}

} // namespace

DeliveryId deliveryId(const DeliveryKey &key)
{
    QByteArray text;
    appendField(text, key.event.value.toUtf8());
    appendField(text, QByteArray(toText(key.channel).data()));
    appendField(text, key.recipient.toUtf8());
    appendField(text, key.destination.toUtf8());
    appendField(text, QByteArray::number(key.revision));
    return DeliveryId(QUuid::createUuidV5(deliveryNamespace, text).toString(QUuid::WithoutBraces));
}

AddressTraces addressTraces(Channel channel, const QString &address)
{
    AddressTraces traces;
    const QString trimmed = address.trimmed();
    if (trimmed.isEmpty())
        return traces;
    switch (channel) {
    case Channel::Email: {
        const qsizetype at = trimmed.lastIndexOf(u'@');
        traces.domain = at < 0 ? QString() : trimmed.mid(at + 1).toLower();
        traces.mask = trimmed.left(1) + u'…' + (at < 0 ? QString() : u'@' + traces.domain);
        break;
    }
    case Channel::Sms:
        traces.last4 = trimmed.right(4);
        traces.mask = u'…' + traces.last4;
        break;
    default:
        traces.mask = u'…' + trimmed.right(5).remove(u']').right(4);
    }
    return traces;
}

QString foldedAddress(Channel channel, const QString &address)
{
    switch (channel) {
    case Channel::Email: {
        const Result<EmailAddress> email = emailAddress(address);
        return email ? email->folded : address.trimmed().toCaseFolded();
    }
    case Channel::Sms: {
        if (const Result<QString> number = phoneNumber(address))
            return *number;
        QString digits; // no number, but still the same text in every spelling
        for (const QChar each : address) {
            if (each.isDigit() || each == u'+')
                digits += each;
        }
        return digits.startsWith(QLatin1String("00")) ? u'+' + digits.mid(2) : digits;
    }
    default:
        return address.trimmed();
    }
}

QString addressHash(Channel channel, const QString &address, const QByteArray &key)
{
    const QByteArray text = QByteArray(toText(channel).data()) + '\n' + foldedAddress(channel, address).toUtf8();
    return QString::fromLatin1(QMessageAuthenticationCode::hash(text, key, QCryptographicHash::Sha256).toHex());
}

} // namespace sendoff
