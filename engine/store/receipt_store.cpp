#include "store/receipt_store.h"

#include "domain/attempt.h"
#include "domain/json_document.h"
#include "store/delivery_rows.h"
#include "store/json_rows.h"

#include <QHash>
#include <algorithm>

namespace sendoff::store {

namespace {

constexpr int maxTries = 80;              // with a wait of at most an hour: three days and a little
constexpr qint64 firstWait = 5'000;       // milliseconds
constexpr qint64 longestWait = 3'600'000; // milliseconds

// How far a word goes; a lower one never takes a higher one back.
enum class Rank { SideFact, OnItsWay, Delivered, Refused, Bounced, Complained };

Rank rankOf(ReceiptKind kind)
{
    switch (kind) {
    case ReceiptKind::Queued:
    case ReceiptKind::Scheduled:
    case ReceiptKind::Processed:
    case ReceiptKind::Sending:
    case ReceiptKind::Sent:
    case ReceiptKind::Delayed:
        return Rank::OnItsWay;
    case ReceiptKind::Delivered:
        return Rank::Delivered;
    case ReceiptKind::BouncedSoft:
    case ReceiptKind::Failed:
    case ReceiptKind::Canceled:
        return Rank::Refused;
    case ReceiptKind::BouncedHard:
    case ReceiptKind::Suppressed:
        return Rank::Bounced;
    case ReceiptKind::Complained:
        return Rank::Complained;
    case ReceiptKind::Opened:
    case ReceiptKind::Clicked:
    case ReceiptKind::Unsubscribed:
    case ReceiptKind::Resubscribed:
    case ReceiptKind::ComplaintWithdrawn:
    case ReceiptKind::AutoReply:
        return Rank::SideFact;
    }
    return Rank::SideFact;
}

// What the delivery becomes; nothing where the word moves no state.
std::optional<DeliveryState> stateOf(Rank rank)
{
    switch (rank) {
    case Rank::SideFact:
        return std::nullopt;
    case Rank::OnItsWay:
        return DeliveryState::Accepted;
    case Rank::Delivered:
    case Rank::Complained: // who complains has read it
        return DeliveryState::Delivered;
    case Rank::Refused:
    case Rank::Bounced:
        return DeliveryState::Bounced;
    }
    return std::nullopt;
}

// A side fact, too, shows that the provider has the message.
DeliveryState stateAfterUnknown(Rank rank)
{
    return stateOf(rank).value_or(DeliveryState::Accepted);
}

struct Waiting
{
    qint64 id = 0;
    QString provider;
    ReceiptKind kind = ReceiptKind::Processed;
    QString messageId;
    QString delivery;
    QString detail;
    QString code;
    bool suppresses = false;
    QString suppressReason;
    QString addressHash;
    QString addressMask;
    int tries = 0;
};

struct Target
{
    QString id;
    DeliveryState state = DeliveryState::Accepted;
    bool isLive = false;
    bool hasUnknown = false;
    QString channel;
    QString addressHash;
    QString addressMask;
};

std::vector<Waiting> waitingReceipts(Session &session, int limit)
{
    std::vector<Waiting> found;
    Cursor row =
        session.run("SELECT id, provider, kind, provider_message_id, delivery_id, detail, provider_code, suppresses, "
                    "suppress_reason, address_hash, address_mask, tries FROM sendoff_receipt "
                    "WHERE applied_at IS NULL AND try_after <= $now ORDER BY try_after, id LIMIT ? $skip_locked",
                    {limit});
    while (row.next()) {
        Waiting each;
        each.id = row.integer(0);
        each.provider = row.text(1);
        each.kind = receiptKindFromText(row.text(2)).value_or(ReceiptKind::Processed);
        each.messageId = row.text(3);
        each.delivery = row.text(4);
        each.detail = row.text(5);
        each.code = row.text(6);
        each.suppresses = row.flag(7);
        each.suppressReason = row.text(8);
        each.addressHash = row.text(9);
        each.addressMask = row.text(10);
        each.tries = int(row.integer(11));
        found.push_back(std::move(each));
    }
    return found;
}

// By our own id where the provider gave it back, else by its message id. The row is locked to the end.
std::optional<Target> targetIn(Session &session, const char *table, const Waiting &receipt)
{
    const bool byId = !receipt.delivery.isEmpty();
    if (!byId && receipt.messageId.isEmpty())
        return std::nullopt;
    Cursor row =
        session.run(QByteArray("SELECT id, state, has_unknown, channel, address_hash, address_mask FROM ") + table +
                        (byId ? " WHERE id = ?" : " WHERE provider_message_id = ? AND provider = ?") + " LIMIT 1 $lock",
                    byId ? QVariantList{receipt.delivery} : QVariantList{receipt.messageId, receipt.provider});
    if (!row.next())
        return std::nullopt;
    Target target;
    target.id = row.text(0);
    target.state = fromText<DeliveryState>(row.text(1)).value_or(DeliveryState::Leased);
    target.isLive = isLive(target.state);
    target.hasUnknown = row.flag(2);
    target.channel = row.text(3);
    target.addressHash = row.text(4);
    target.addressMask = row.text(5);
    return target;
}

std::optional<Target> targetOf(Session &session, const Waiting &receipt)
{
    auto target = targetIn(session, "sendoff_delivery_hot", receipt);
    return target ? target : targetIn(session, "sendoff_delivery_history", receipt);
}

constexpr auto endingColumns =
    "state = ?, reason = ?, detail = ?, has_unknown = 0, lease_token = lease_token + 1, "
    "ended_at = COALESCE(ended_at, $now), provider_message_id = COALESCE(NULLIF(?, ''), provider_message_id), "
    "accepted_at = COALESCE(accepted_at, $now)";

void move(Session &session, const Target &target, const Waiting &receipt, DeliveryState state)
{
    const bool isBounce = state == DeliveryState::Bounced;
    const Reason reason = isBounce ? Reason::ReceiptBounced : Reason::ReceiptDelivered;
    const QString said = receipt.detail.isEmpty() ? receipt.code : receipt.detail;
    const QString detail = isBounce ? said : QString();
    const QVariantList values{QString(toText(state)), QString(toText(reason)),
                              detail.isNull() ? QLatin1String("") : detail, receipt.messageId, target.id};
    const QByteArray columns = endingColumns;
    if (!target.isLive) {
        session.run("UPDATE sendoff_delivery_history SET " + columns + " WHERE id = ?", values);
        return;
    }
    session.run("UPDATE sendoff_delivery_hot SET " + columns + ", lease_holder = NULL, lease_until = NULL WHERE id = ?",
                values);
    JsonRows rows;
    rows.row().text("id", target.id);
    moveToHistory(session, rows.json());
}

// The providers' words as the store keeps them.
QString suppressionReason(const QString &said)
{
    if (said == QLatin1String("complaint"))
        return QStringLiteral("complaint");
    if (said == QLatin1String("unsubscribe") || said == QLatin1String("opted_out"))
        return QStringLiteral("person");
    if (said == QLatin1String("hard_bounce") || said == QLatin1String("invalid_address"))
        return QStringLiteral("hard_bounce");
    return QStringLiteral("refused"); // the provider's own list of suppressed addresses among others
}

// A provider that names another recipient than ours speaks of that one.
void suppress(Session &session, const Target &target, const Waiting &receipt)
{
    const QString hash = receipt.addressHash.isEmpty() ? target.addressHash : receipt.addressHash;
    if (hash.isEmpty())
        return;
    const QString mask = receipt.addressHash.isEmpty() ? target.addressMask : receipt.addressMask;
    session.run("INSERT INTO sendoff_suppression (channel, address_hash, address_mask, reason, source_delivery, "
                "created_by) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (channel, address_hash, scope, scope_value, reason) DO NOTHING",
                {target.channel, hash, mask, suppressionReason(receipt.suppressReason), target.id,
                 QStringLiteral("receipt of ") + receipt.provider});
}

void liftSuppression(Session &session, const Target &target, const QString &reason)
{
    if (!target.addressHash.isEmpty())
        session.run("DELETE FROM sendoff_suppression WHERE channel = ? AND address_hash = ? AND scope = 'all' AND "
                    "reason = ?",
                    {target.channel, target.addressHash, reason});
}

// The rank that an ended state stands for: nothing below it moves the row.
Rank rankOf(DeliveryState state)
{
    switch (state) {
    case DeliveryState::Delivered:
        return Rank::Delivered;
    case DeliveryState::Bounced:
        return Rank::Refused;
    case DeliveryState::Accepted:
        return Rank::OnItsWay;
    default:
        return Rank::SideFact;
    }
}

enum class Applied { Yes, Later };

Applied apply(Session &session, const Target &target, const Waiting &receipt)
{
    if (target.state == DeliveryState::Leased)
        return Applied::Later; // an attempt is under way: its own end comes first
    const Rank rank = rankOf(receipt.kind);
    // What a person or a later event ended, or an edit replaced, stays as it is.
    const bool mayMove = target.isLive || target.state == DeliveryState::Unknown ||
                         target.state == DeliveryState::Dead || target.state == DeliveryState::Expired;
    const bool isOpenQuestion = mayMove && (target.hasUnknown || target.state == DeliveryState::Unknown);
    if (isOpenQuestion) {
        move(session, target, receipt, stateAfterUnknown(rank));
    } else if (target.state == DeliveryState::Accepted || target.state == DeliveryState::Delivered ||
               target.state == DeliveryState::Bounced) {
        const auto state = stateOf(rank);
        if (state && rank > rankOf(target.state) && *state != target.state)
            move(session, target, receipt, *state);
    }
    if (receipt.suppresses)
        suppress(session, target, receipt);
    if (receipt.kind == ReceiptKind::ComplaintWithdrawn)
        liftSuppression(session, target, QStringLiteral("complaint"));
    if (receipt.kind == ReceiptKind::Resubscribed)
        liftSuppression(session, target, QStringLiteral("person"));
    return Applied::Yes;
}

void mark(Session &session, const Waiting &receipt, const QString &delivery)
{
    session.run("UPDATE sendoff_receipt SET applied_at = $now, delivery_id = ? WHERE id = ?", {delivery, receipt.id});
}

void putOff(Session &session, const Waiting &receipt)
{
    if (receipt.tries >= maxTries) {
        session.run("UPDATE sendoff_receipt SET applied_at = $now, detail = 'no delivery of ours was found for it' "
                    "WHERE id = ?",
                    {receipt.id});
        return;
    }
    const qint64 wait = std::min(longestWait, firstWait << std::min(receipt.tries, 12));
    session.run("UPDATE sendoff_receipt SET tries = tries + 1, try_after = $now_plus(?) WHERE id = ?",
                {wait, receipt.id});
}

} // namespace

Result<int> keepReceipts(Database &database, const std::vector<ArrivedReceipt> &receipts)
{
    return database.write([&](Session &session) {
        int kept = 0;
        for (const ArrivedReceipt &each : receipts) {
            const ProviderReceipt &said = each.receipt;
            const QVariant occurred =
                said.occurredAt ? QVariant(qint64(said.occurredAt->time_since_epoch().count())) : QVariant();
            const QVariant delivery = said.delivery.value.isEmpty() ? QVariant() : QVariant(said.delivery.value);
            kept +=
                session
                    .run("INSERT INTO sendoff_receipt (provider, provider_event_id, provider_message_id, "
                         "delivery_id, kind, is_hard, source, detail, occurred_at, suppresses, suppress_reason, "
                         "address_hash, address_mask, provider_code, try_after) "
                         "VALUES (?, ?, ?, ?, ?, ?, ?, ?, $at(?), ?, ?, ?, ?, ?, $now) "
                         "ON CONFLICT (provider, provider_event_id) DO NOTHING",
                         {each.provider, storableText(said.eventId, 300), storableText(said.messageId, 200), delivery,
                          QString(toText(said.kind)), said.kind == ReceiptKind::BouncedHard ? 1 : 0,
                          each.source == ReceiptSource::Callback ? QStringLiteral("callback") : QStringLiteral("asked"),
                          storableText(said.detail, maxProviderText), occurred, said.suppresses ? 1 : 0,
                          storableText(said.suppressReason, 100), each.addressHash, each.addressMask,
                          storableText(said.providerCode, 100)})
                    .affected();
        }
        return kept;
    });
}

Result<bool> isMessageOfAnother(Database &database, const QString &provider, const QString &messageId,
                                const DeliveryId &delivery)
{
    return database.readOnce([&](Session &session) {
        return session
            .run(
                "SELECT 1 FROM sendoff_delivery_history WHERE provider_message_id = ? AND provider = ? AND id <> ? "
                "UNION ALL SELECT 1 FROM sendoff_delivery_hot WHERE provider_message_id = ? AND provider = ? AND id <> "
                "? UNION ALL SELECT 1 FROM sendoff_receipt WHERE provider = ? AND provider_message_id = ? AND "
                "delivery_id IS NOT NULL AND delivery_id <> ? LIMIT 1",
                {messageId, provider, delivery.value, messageId, provider, delivery.value, provider, messageId,
                 delivery.value})
            .next();
    });
}

Result<AppliedReceipts> applyReceipts(Database &database, int limit)
{
    return database.write([&](Session &session) {
        AppliedReceipts done;
        for (const Waiting &receipt : waitingReceipts(session, limit)) {
            ++done.looked;
            const auto target = targetOf(session, receipt);
            if (!target || apply(session, *target, receipt) == Applied::Later) {
                putOff(session, receipt);
                continue;
            }
            mark(session, receipt, target->id);
            ++done.applied;
        }
        return done;
    });
}

} // namespace sendoff::store
