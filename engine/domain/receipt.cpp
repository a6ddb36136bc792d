#include "domain/receipt.h"

#include <array>

namespace sendoff {

namespace {

constexpr std::array words{"queued",
                           "scheduled",
                           "processed",
                           "sending",
                           "sent",
                           "delivered",
                           "delayed",
                           "bounced_hard",
                           "bounced_soft",
                           "complained",
                           "complaint_withdrawn",
                           "opened",
                           "clicked",
                           "unsubscribed",
                           "resubscribed",
                           "suppressed",
                           "failed",
                           "auto_reply",
                           "canceled"};

} // namespace

QLatin1String toText(ReceiptKind kind)
{
    return QLatin1String(words[size_t(kind)]);
}

std::optional<ReceiptKind> receiptKindFromText(QStringView text)
{
    for (size_t each = 0; each < words.size(); ++each) {
        if (text == QLatin1String(words[each]))
            return ReceiptKind(each);
    }
    return std::nullopt;
}

} // namespace sendoff
