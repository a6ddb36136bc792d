#pragma once
#include "domain/address.h"
#include <QByteArray>
#include <QString>

namespace sendoff::channel {

// Text in the forms that mail carries (RFC 2045, 2047, 5322). Pure. Lines end in CRLF, have at most 76 bytes (998 where
// one unbreakable word is longer), and hold ASCII only.

// "Name: value" with its line ends. A value that is not plain ASCII becomes encoded words. The value must be one line.
QByteArray textHeader(const QByteArray &name, const QString &value);

// A name and an address. An address with letters beyond ASCII is written as UTF-8: RFC 6532, for SMTPUTF8 only.
struct Mailbox
{
    QString name; // may be empty
    EmailAddress address;
};
QByteArray mailboxHeader(const QByteArray &name, const Mailbox &mailbox);
// "Parking <no-reply@example.com>", "\"Parking, Ltd.\" <…>" or an address alone. Invalid says what is wrong.
Result<Mailbox> readMailbox(const QString &text);

// A header whose value is ASCII tokens between blanks, folded there; a token is never broken.
QByteArray tokenHeader(const QByteArray &name, const QByteArray &value);

// A body in the shorter one of quoted-printable and base64.
struct EncodedBody
{
    QByteArray encoding; // the value of Content-Transfer-Encoding
    QByteArray bytes;    // ends with a line end
};
EncodedBody encodedBody(const QString &text);

} // namespace sendoff::channel
