#include "domain/eligibility.h"

namespace sendoff {

std::optional<Refusal> refusalFor(const LastRead &read)
{
    if (read.alreadyAccepted)
        return Refusal{DeliveryState::Accepted, Reason::ReceiptDelivered,
                       QStringLiteral("a receipt shows that an earlier attempt was taken")};
    if (read.superseded)
        return Refusal{DeliveryState::Superseded, Reason::ByEvent, QStringLiteral("a later event replaced it")};
    if (read.expired)
        return Refusal{DeliveryState::Expired, Reason::PastExpiry, {}};
    if (read.hardBounced)
        return Refusal{DeliveryState::Suppressed, Reason::AddressSuppressed,
                       QStringLiteral("mail to this address bounced for good")};
    if (read.complained && !read.isSecurity)
        return Refusal{DeliveryState::Suppressed, Reason::AddressSuppressed,
                       QStringLiteral("the recipient complained about earlier messages")};
    if (read.preferenceOff && !read.isSecurity)
        return Refusal{DeliveryState::Suppressed, Reason::Preference,
                       QStringLiteral("the recipient switched this category off")};
    return std::nullopt;
}

} // namespace sendoff
