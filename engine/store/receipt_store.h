#pragma once
#include "domain/receipt.h"
#include "domain/result.h"
#include "domain/words.h"
#include "store/database.h"
#include <vector>

namespace sendoff::store {

// What providers say after the send: kept first, in any order and however often, applied from the table afterwards.

enum class ReceiptSource { Callback, Asked };

struct ArrivedReceipt
{
    QString provider;
    Channel channel = Channel::Email;
    ReceiptSource source = ReceiptSource::Callback;
    ProviderReceipt receipt; // its address is not stored
    QString addressHash;     // of that address, empty where there is none
    QString addressMask;
};
// Keeps them; one that was kept before (same provider and event id) is left as it was. Answers how many were new.
Result<int> keepReceipts(Database &database, const std::vector<ArrivedReceipt> &receipts);

// Whether a provider's message is another delivery's: then it says nothing of this one.
Result<bool> isMessageOfAnother(Database &database, const QString &provider, const QString &messageId,
                                const DeliveryId &delivery);

struct AppliedReceipts
{
    int looked = 0;  // rows of the table; fewer than the limit: nothing more can be done now
    int applied = 0; // among them those that found their delivery
};
// Applies kept receipts, oldest first, each in the same transaction as its mark. The worse word wins whatever the order
// (complaint, hard bounce, refused by the provider, soft bounce or failure, delivered, on its way), an unresolved
// Unknown is resolved by any word that proves the acceptance, and hard bounces and complaints suppress the address. A
// delivery that is leased at the moment, and a receipt that finds none, wait: 5 s doubling to 1 h, for three days.
Result<AppliedReceipts> applyReceipts(Database &database, int limit);

} // namespace sendoff::store
