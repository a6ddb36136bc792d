#pragma once
#include "channel/provider_kind.h"

namespace sendoff::channel {

// What the email kinds share: the checks before composing, and the parts that every mail has.

// The name that our delivery id has at every provider that can carry it: Resend's tag, SendGrid's custom argument,
// Postmark's metadata.
QLatin1String deliveryLabel();

// "Name <address>" taken apart; the address alone where there is no name.
struct Mailbox
{
    QString name;
    QString address;
};
Mailbox mailboxOf(const QString &written);

// What no email provider takes: no sender, no subject, no content, an unsubscribe address that is no https URL.
// `service` names the provider for people.
Result<void> checkMail(const ProviderSettings &provider, const RenderedMessage &message, const QString &address,
                       const QString &service);

// The two headers of one-click unsubscription (RFC 8058); empty where the message has no such address.
std::vector<std::pair<QString, QString>> unsubscribeHeaders(const RenderedMessage &message);

} // namespace sendoff::channel
