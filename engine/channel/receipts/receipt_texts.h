#pragma once
#include "domain/receipt.h"
#include <QJsonValue>

namespace sendoff::channel {

// What the receipt readers share. Pure, any thread.

// The codes of an SMTP reply inside a text: "smtp; 550 5.1.1 user unknown". Sets only what the text holds.
void readReplyCodes(ProviderReceipt &receipt, const QString &text);

// The words of a provider made fit to keep: storable, cut, without the address of the receipt.
QString receiptDetail(const QString &text, const QString &address);

// RFC 3339 with any fraction, also with a blank for the T and "+00" for the offset; nothing where it is none.
std::optional<Timestamp> receiptTime(const QJsonValue &text);

// Marks it as one that forbids the address from now on.
void suppress(ProviderReceipt &receipt, QLatin1String reason);

// The reasons of a suppression, the same for all providers.
namespace suppression {
inline constexpr QLatin1String hardBounce("hard_bounce");
inline constexpr QLatin1String complaint("complaint");
inline constexpr QLatin1String invalidAddress("invalid_address");
inline constexpr QLatin1String unsubscribe("unsubscribe");
inline constexpr QLatin1String providerList("provider_suppression"); // the address was on the provider's own list
} // namespace suppression

} // namespace sendoff::channel
