#include "store/destination_health.h"

#include "store/json_rows.h"

#include <algorithm>

namespace sendoff::store {

namespace {

bool countsAsFailure(Outcome outcome)
{
    return outcome != Outcome::Accepted && outcome != Outcome::PermanentRecipient;
}

constexpr qint64 destinationRest = 86'400'000; // milliseconds

const QByteArray suppressionTarget =
    "INSERT INTO sendoff_suppression (channel, address_hash, address_mask, reason, source_delivery, created_by) ";
const QByteArray suppressionOnce = " ON CONFLICT (channel, address_hash, scope, scope_value, reason) DO NOTHING";

void suppressRefused(Session &session, const JsonRows &refused)
{
    if (refused.isEmpty())
        return;
    session.run(suppressionTarget +
                    "SELECT d.channel, d.address_hash, d.address_mask, 'refused', d.id, 'provider ' || d.provider "
                    "FROM sendoff_delivery d WHERE d.id $any(SELECT value->>'id' FROM $rows) AND d.address_hash <> ''" +
                    suppressionOnce,
                {refused.json()});
}

// Ordered by address, so that two engines never wait for each other.
void countFailures(Session &session, const JsonRows &failed, const JsonRows &worked)
{
    if (!worked.isEmpty())
        session.run("UPDATE sendoff_destination SET failures = 0, failing_since = NULL WHERE failures > 0 AND "
                    "address_hash $any(SELECT d.address_hash FROM sendoff_delivery d WHERE d.id $any(SELECT "
                    "value->>'id' FROM $rows))",
                    {worked.json()});
    if (failed.isEmpty())
        return;
    session.run(
        "INSERT INTO sendoff_destination (address_hash, failures, failing_since) "
        "SELECT d.address_hash, count(*), $now FROM sendoff_delivery d WHERE d.id $any(SELECT value->>'id' FROM "
        "$rows) AND d.address_hash <> '' GROUP BY d.address_hash ORDER BY d.address_hash "
        "ON CONFLICT (address_hash) DO UPDATE SET failures = sendoff_destination.failures + excluded.failures, "
        "failing_since = COALESCE(sendoff_destination.failing_since, excluded.failing_since)",
        {failed.json()});
    // For a day: a receiver that was only away comes back by itself, and the count begins anew.
    session.run("INSERT INTO sendoff_suppression (channel, address_hash, address_mask, reason, source_delivery, "
                "created_by, expires_at) SELECT d.channel, d.address_hash, max(d.address_mask), 'refused', max(d.id), "
                "'destination failed too often', $now_plus(?) FROM sendoff_delivery d JOIN sendoff_destination x ON "
                "x.address_hash = d.address_hash WHERE d.id $any(SELECT value->>'id' FROM $rows) AND x.failures >= ? "
                "GROUP BY d.channel, d.address_hash "
                "ON CONFLICT (channel, address_hash, scope, scope_value, reason) DO UPDATE SET expires_at = "
                "excluded.expires_at WHERE sendoff_suppression.expires_at IS NOT NULL",
                {destinationRest, failed.json(), destinationFailures});
    session.run(
        "UPDATE sendoff_destination SET failures = 0, failing_since = NULL WHERE failures >= ? AND address_hash "
        "$any(SELECT d.address_hash FROM sendoff_delivery d WHERE d.id $any(SELECT value->>'id' FROM $rows))",
        {destinationFailures, failed.json()});
}

} // namespace

void noteDestinations(Session &session, const std::vector<Settlement> &settlements,
                      const std::function<bool(const DeliveryId &)> &wasWritten)
{
    JsonRows refused;
    JsonRows failed;
    JsonRows worked;
    for (const Settlement &settlement : settlements) {
        if (!settlement.attempt || !wasWritten(settlement.id))
            continue;
        const Outcome outcome = settlement.attempt->outcome;
        if (outcome == Outcome::PermanentRecipient && settlement.attempt->suppresses)
            refused.row().text("id", settlement.id.value);
        if (settlement.channel != Channel::Webhook)
            continue;
        if (outcome == Outcome::Accepted)
            worked.row().text("id", settlement.id.value);
        else if (countsAsFailure(outcome))
            failed.row().text("id", settlement.id.value);
    }
    suppressRefused(session, refused);
    countFailures(session, failed, worked);
}

} // namespace sendoff::store
