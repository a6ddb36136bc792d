#pragma once
#include "domain/clock.h"
#include "domain/result.h"
#include <QByteArray>
#include <QString>
#include <QUrl>

namespace sendoff::channel {

// A Google service account, as its JSON file holds it. A plain value; the key is never shown or logged.
struct ServiceAccount
{
    QString clientEmail;
    QString projectId;
    QString keyId;         // names the key to the token endpoint, may be empty
    QByteArray privateKey; // PEM
    QUrl tokenUri;

    // Invalid: names the field and the remedy, never a value. Looks at the fields only, see checkKey().
    static Result<ServiceAccount> read(const QByteArray &json);
};

// Invalid where the private key is no RSA key in PEM.
Result<void> checkKey(const ServiceAccount &account);

// A JSON Web Token (RFC 7519), signed with RS256: the account asks for `scope` for an hour from `now`. Empty where the
// key can't sign.
QByteArray signedAssertion(const ServiceAccount &account, const QString &scope, Timestamp now);

} // namespace sendoff::channel
