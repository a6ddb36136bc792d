#include "store/record_rows.h"

namespace sendoff::store {

const char *const deliveryRecordColumns = "d.id, d.event_id, d.type, d.tenant, d.channel, d.provider, d.lane, "
                                          "d.category, d.role, d.user_id, d.address_mask, d.state, "
                                          "d.reason, d.detail, d.revision, d.attempts, d.failures, d.claims, "
                                          "d.has_unknown, d.possible_duplicate, d.last_outcome, "
                                          "d.last_code, d.last_status, d.provider_message_id, d.created_at, d.due_at, "
                                          "d.expires_at, d.accepted_at, d.ended_at, "
                                          "d.lease_holder, d.lease_until, d.lease_token, d.parent_id, d.fingerprint";

const char *const deliveryRecordValues = "id, event_id, type, tenant, channel, provider, lane, category, role, "
                                         "user_id, address_mask, state, reason, detail, revision, "
                                         "attempts, failures, claims, has_unknown, possible_duplicate, last_outcome, "
                                         "last_code, last_status, provider_message_id, "
                                         "$ms(created_at), $ms(due_at), $ms(expires_at), $ms(accepted_at), "
                                         "$ms(ended_at), lease_holder, $ms(lease_until), lease_token, parent_id, fingerprint";

DeliveryRecord deliveryRecord(const Cursor &row)
{
    DeliveryRecord record;
    record.id = DeliveryId(row.text(0));
    record.event = EventId(row.text(1));
    record.type = row.text(2);
    record.tenant = row.text(3);
    record.channel = fromText<Channel>(row.text(4)).value_or(Channel::Email);
    record.provider = row.text(5);
    record.lane = fromText<Lane>(row.text(6)).value_or(Lane::Normal);
    record.category = row.text(7);
    record.role = row.text(8);
    record.user = UserId(row.text(9));
    record.addressMask = row.text(10);
    record.state = fromText<DeliveryState>(row.text(11)).value_or(DeliveryState::Unknown);
    record.reason = fromText<Reason>(row.text(12)).value_or(Reason::None);
    record.detail = row.text(13);
    record.revision = int(row.integer(14));
    record.attempts = int(row.integer(15));
    record.failures = int(row.integer(16));
    record.claims = int(row.integer(17));
    record.hasUnknown = row.flag(18);
    record.possibleDuplicate = row.flag(19);
    record.lastOutcome = row.text(20);
    record.lastCode = row.text(21);
    record.lastStatus = int(row.integer(22));
    record.providerMessageId = row.text(23);
    record.createdAt = row.time(24);
    record.dueAt = row.time(25);
    record.expiresAt = row.time(26);
    record.acceptedAt = row.maybeTime(27);
    record.endedAt = row.maybeTime(28);
    record.leaseHolder = row.text(29);
    record.leaseUntil = row.maybeTime(30);
    record.version = row.integer(31);
    record.parent = DeliveryId(row.text(32));
    record.fingerprint = row.text(33);
    return record;
}

const char *const eventRecordValues =
    "e.id, e.sequence, e.type, e.tenant, e.state, e.reason, e.tries, e.folded, e.supersedes_key, $ms(e.occurred_at), "
    "$ms(e.available_at), $ms(e.expires_at), $ms(e.recorded_at), $ms(e.relayed_at), $ms(e.scrubbed_at)";

EventRecord eventRecord(const Cursor &row)
{
    EventRecord record;
    record.id = EventId(row.text(0));
    record.sequence = row.integer(1);
    record.type = row.text(2);
    record.tenant = row.text(3);
    record.state = fromText<EventState>(row.text(4)).value_or(EventState::Pending);
    record.reason = row.text(5);
    record.tries = int(row.integer(6));
    record.folded = int(row.integer(7));
    record.supersedesKey = row.text(8);
    record.occurredAt = row.time(9);
    record.availableAt = row.time(10);
    record.expiresAt = row.maybeTime(11);
    record.recordedAt = row.time(12);
    record.relayedAt = row.maybeTime(13);
    record.scrubbedAt = row.maybeTime(14);
    return record;
}

const char *const operationRecordValues = "o.id, o.verb, o.filter, o.expected, o.reason, o.actor, $ms(o.created_at), "
                                          "$ms(o.armed_until), o.state, o.done_count, "
                                          "o.skipped_count, o.failed_count, $ms(o.ended_at), o.detail, "
                                          "o.parameters, o.watermark, o.rate, o.stop_at_failures, o.is_paused, "
                                          "o.accepted_count, o.is_tallied, $ms(o.started_at)";

OperationRecord operationRecord(const Cursor &row)
{
    OperationRecord record;
    record.id = row.integer(0);
    record.verb = row.text(1);
    record.filter = row.text(2);
    record.expected = row.integer(3);
    record.reason = row.text(4);
    record.actor = row.text(5);
    record.createdAt = row.time(6);
    record.armedUntil = row.time(7);
    record.state = row.text(8);
    record.done = row.integer(9);
    record.skipped = row.integer(10);
    record.failed = row.integer(11);
    record.endedAt = row.maybeTime(12);
    record.detail = row.text(13);
    if (auto parameters = operationParameters(row.bytes(14)))
        record.parameters = std::move(*parameters); // what a newer program wrote is shown by its own
    record.watermark = row.integer(15);
    record.rate = int(row.integer(16));
    record.stopAtFailures = int(row.integer(17));
    record.isPaused = row.flag(18);
    record.accepted = row.integer(19);
    record.isTallied = row.flag(20);
    record.startedAt = row.maybeTime(21);
    return record;
}

} // namespace sendoff::store
