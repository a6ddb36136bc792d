#pragma once
#include "domain/result.h"
#include <QString>

namespace sendoff {

// What can be written to, and in which spelling. Pure; any thread. An error is one sentence that says what is wrong and
// what is needed, and never repeats the address.

// One email address (RFC 5321, RFC 6531 for letters beyond ASCII).
struct EmailAddress
{
    QString local;         // as given: only its owner's server knows what its case and dots mean
    QString domain;        // as it goes on the wire: an ASCII domain as given, another one as A-labels
    QString unicodeDomain; // for people
    QString folded;        // for matching, never for sending

    QString wire() const { return local + u'@' + domain; }
    // Letters beyond ASCII before the @: only servers that announce SMTPUTF8 take it.
    bool needsUtf8() const;
};
// Blanks around it are dropped. Refuses quoted local parts and address literals: they are legal, hardly any provider
// takes them, and readers disagree on where they end.
Result<EmailAddress> emailAddress(const QString &text);

// A phone number as E.164, "+491701234567". Region is a country ("DE") for numbers written as at home; without one the
// number must be international, with + or 00. Possible numbers are taken: which ranges are in use changes weekly.
Result<QString> phoneNumber(const QString &text, const QString &region = {});

// An absolute http or https address without user name and password.
Result<QString> webAddress(const QString &text);

// A push token: opaque, compared exactly; only blanks, control characters and emptiness are wrong.
Result<QString> pushToken(const QString &text);

// Blanks and tabs around a value are a slip of an import; a line break is an attack or a mistake and stays visible.
QString withoutOuterBlanks(QStringView text);

} // namespace sendoff
