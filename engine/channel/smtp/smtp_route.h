#pragma once
#include "channel/mime/mime_text.h"
#include "channel/provider_kind.h"

namespace sendoff::channel {

enum class SmtpTls {
    StartTls, // required: a server that doesn't offer it gets nothing
    Implicit, // from the first byte
    None      // to loopback, or where somebody has asked for it by name
};

// A provider's settings as the SMTP sender uses them. Holds the password; never logged.
struct SmtpRoute
{
    QUrl server; // scheme smtp or smtps, host, port
    SmtpTls tls = SmtpTls::StartTls;
    QByteArray helloName;
    QString username;      // empty: without authentication
    QByteArray password;   // or access token
    QByteArray mechanisms; // libcurl's login options, "AUTH=PLAIN;AUTH=LOGIN"
    Mailbox from;
    QString returnPath; // with {id}, or empty: the From address
};

// Invalid names the key at fault and the remedy.
Result<SmtpRoute> smtpRoute(const ProviderSettings &settings);

// The envelope's sender for one delivery. Bounces come back to it, and where it holds the id they say for which.
EmailAddress envelopeSender(const SmtpRoute &route, const DeliveryId &id);

} // namespace sendoff::channel
