#pragma once
#include "channel/mime/mime_text.h"
#include "domain/clock.h"
#include <optional>

namespace sendoff::channel {

// One mail. Every text is UTF-16 as it should be read; the one-line ones must hold no control characters.
struct MimeMessage
{
    Mailbox from;
    EmailAddress to;
    std::optional<Mailbox> replyTo;
    QString subject;
    QString text; // at least one of text and html
    QString html;
    QByteArray messageId;      // without its angle brackets, "id@domain"
    QByteArray unsubscribeUrl; // https, of RFC 8058; empty: the mail offers none
    Timestamp date;
};

// Its bytes: ASCII (except for an address that needs SMTPUTF8), CRLF, lines of at most 998 bytes. Pure: equal values
// give equal bytes.
QByteArray mimeBytes(const MimeMessage &message);

// "Mon, 30 Nov 2026 12:00:00 +0000".
QByteArray mailDate(Timestamp time);

} // namespace sendoff::channel
