#include "store/destination_health.h"

#include "store/json_rows.h"

#include <algorithm>

namespace sendoff::store {

namespace {

bool countsAsFailure(Outcome outcome)
{
    return outcome == Outcome::Transient || outcome == Outcome::Unknown || outcome == Outcome::PermanentMessage;
}

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
    session.run(suppressionTarget +
                    "SELECT d.channel, d.address_hash, max(d.address_mask), 'refused', max(d.id), 'destination failed "
                    "too often' FROM sendoff_delivery d JOIN sendoff_destination x ON x.address_hash = d.address_hash "
                    "WHERE d.id $any(SELECT value->>'id' FROM $rows) AND x.failures >= ? "
                    "GROUP BY d.channel, d.address_hash" +
                    suppressionOnce,
                {failed.json(), destinationFailures});
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
        if (outcome == Outcome::PermanentRecipient)
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
