#pragma once
#include "domain/clock.h"
#include "domain/ids.h"
#include <QLatin1String>
#include <QString>
#include <QStringView>
#include <optional>

namespace sendoff {

// What a provider says of a message after it was handed over, one closed set for all of them.
enum class ReceiptKind {
    Queued,
    Scheduled,
    Processed,
    Sending,
    Sent, // on its way; not arrival
    Delivered,
    Delayed,
    BouncedHard, // the address does not exist or is closed
    BouncedSoft, // refused this time; says nothing against the address
    Complained,
    ComplaintWithdrawn,
    Opened,
    Clicked,
    Unsubscribed,
    Resubscribed,
    Suppressed, // the provider did not even try: the address is on its own list
    Failed,     // for a reason that is ours or the provider's
    AutoReply,
    Canceled
};
QLatin1String toText(ReceiptKind); // "bounced_hard" …
std::optional<ReceiptKind> receiptKindFromText(QStringView text);

// One later word of a provider, read from a verified callback or asked for. A plain value; the address in it is for
// matching by hash and is never stored or logged.
struct ProviderReceipt
{
    ReceiptKind kind = ReceiptKind::Processed;
    QString eventId;         // the provider's own id of this word: the same id is the same word
    QString messageId;       // as the answer to the send gave it; empty: not named
    DeliveryId delivery;     // where the provider gives our own id back; empty otherwise
    QString address;         // the recipient concerned; empty: not named
    bool suppresses = false; // the address must not be used again (hard bounce, complaint)
    QString suppressReason;  // "invalid_address", "complaint", "opted_out" …; empty where it does not suppress
    QString providerCode;    // its own name or number of the reason
    int smtpCode = 0;        // 0: none
    QString enhancedCode;    // "5.1.1"; empty: none
    QString detail;          // its words, storable, at most 500 characters, without the address
    std::optional<Timestamp> occurredAt;
    bool isMachine = false; // opened or clicked by a scanner
    QString group;          // of an unsubscription from one group; empty: from all
};

} // namespace sendoff
