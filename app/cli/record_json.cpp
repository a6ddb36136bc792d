#include "app/cli/record_json.h"

#include "app/cli/verdict.h"

namespace sendoff::app {

namespace {

// An empty text of a record means "none": null is what scripts can ask for.
JsonValue textOrNull(const QString &text)
{
    return text.isEmpty() ? JsonValue() : JsonValue::string(text);
}

JsonValue countsByName(const std::vector<std::pair<QString, qint64>> &counts)
{
    std::vector<JsonValue::Member> members;
    for (const auto &[name, count] : counts)
        members.emplace_back(name, json(count));
    return JsonValue::object(std::move(members));
}

// Never the address and the patch of an edit: they are content.
JsonValue parameters(const OperationParameters &given)
{
    return JsonObject()
        .with("target_kind", textOrNull(given.targetKind))
        .with("target", textOrNull(given.target))
        .with("due_at", given.dueAt)
        .with("duration_ms", given.duration)
        .with("per_second", given.perSecond)
        .with("locale", textOrNull(given.locale))
        .with("text", textOrNull(given.text));
}

JsonValue numbers(const std::vector<qint64> &values)
{
    std::vector<JsonValue> items;
    for (const qint64 value : values)
        items.push_back(json(value));
    return JsonValue::array(std::move(items));
}

// The delivery with everything but its event; "attempts" is the list here, its length "attempt_count".
JsonObject withoutEvent(const DeliveryStory &story)
{
    JsonObject object;
    const JsonValue delivery = json(story.delivery);
    for (const auto &[name, value] : delivery.members())
        object.with(name == QLatin1String("attempts") ? "attempt_count" : name.toLatin1().constData(), value);
    return object.with("verdict", verdictOf(story.delivery))
        .with("attempts", jsonList(story.attempts))
        .with("receipts", jsonList(story.receipts))
        .with("operations", jsonList(story.operations));
}

} // namespace

JsonValue json(const DeliveryRecord &record)
{
    return JsonObject()
        .with("id", record.id)
        .with("event_id", record.event)
        .with("type", record.type)
        .with("tenant", record.tenant)
        .with("channel", record.channel)
        .with("provider", textOrNull(record.provider))
        .with("lane", record.lane)
        .with("category", record.category)
        .with("role", record.role)
        .with("user_id", textOrNull(record.user.value))
        .with("address_mask", textOrNull(record.addressMask))
        .with("state", record.state)
        .with("reason", record.reason)
        .with("detail", record.detail)
        .with("revision", record.revision)
        .with("attempts", record.attempts)
        .with("failures", record.failures)
        .with("claims", record.claims)
        .with("has_unknown", record.hasUnknown)
        .with("possible_duplicate", record.possibleDuplicate)
        .with("last_outcome", textOrNull(record.lastOutcome))
        .with("last_code", textOrNull(record.lastCode))
        .with("last_status", record.lastStatus)
        .with("provider_message_id", textOrNull(record.providerMessageId))
        .with("created_at", record.createdAt)
        .with("due_at", record.dueAt)
        .with("expires_at", record.expiresAt)
        .with("accepted_at", record.acceptedAt)
        .with("ended_at", record.endedAt)
        .with("lease_holder", textOrNull(record.leaseHolder))
        .with("lease_until", record.leaseUntil)
        .with("version", record.version)
        .with("parent_id", textOrNull(record.parent.value))
        .with("fingerprint", textOrNull(record.fingerprint));
}

JsonValue json(const AttemptRecord &record)
{
    return JsonObject()
        .with("number", record.number)
        .with("engine", record.engine)
        .with("provider", record.provider)
        .with("started_at", record.startedAt)
        .with("ended_at", record.endedAt)
        .with("outcome", record.outcome)
        .with("status", record.status)
        .with("code", textOrNull(record.code))
        .with("text", textOrNull(record.text))
        .with("wait_ms", record.wait)
        .with("next_delay_ms", record.nextDelay)
        .with("possible_duplicate", record.possibleDuplicate)
        .with("provider_message_id", textOrNull(record.providerMessageId));
}

JsonValue json(const ReceiptRecord &record)
{
    return JsonObject()
        .with("kind", record.kind)
        .with("provider", record.provider)
        .with("source", record.source)
        .with("detail", record.detail)
        .with("occurred_at", record.occurredAt)
        .with("arrived_at", record.arrivedAt);
}

JsonValue json(const EventRecord &record)
{
    return JsonObject()
        .with("id", record.id)
        .with("sequence", record.sequence)
        .with("type", record.type)
        .with("tenant", record.tenant)
        .with("state", record.state)
        .with("reason", textOrNull(record.reason))
        .with("tries", record.tries)
        .with("folded", record.folded)
        .with("supersedes_key", textOrNull(record.supersedesKey))
        .with("occurred_at", record.occurredAt)
        .with("available_at", record.availableAt)
        .with("expires_at", record.expiresAt)
        .with("recorded_at", record.recordedAt)
        .with("relayed_at", record.relayedAt)
        .with("scrubbed_at", record.scrubbedAt);
}

JsonValue json(const OperationRecord &record)
{
    return JsonObject()
        .with("id", record.id)
        .with("verb", record.verb)
        .with("filter", record.filter)
        .with("parameters", parameters(record.parameters))
        .with("watermark", record.watermark)
        .with("expected", record.expected)
        .with("rate", record.rate)
        .with("stop_at_failures", record.stopAtFailures)
        .with("reason", record.reason)
        .with("actor", record.actor)
        .with("created_at", record.createdAt)
        .with("armed_until", record.armedUntil)
        .with("state", record.state)
        .with("paused", record.isPaused)
        .with("done", record.done)
        .with("skipped", record.skipped)
        .with("failed", record.failed)
        .with("accepted", record.accepted)
        .with("tallied", record.isTallied)
        .with("started_at", record.startedAt)
        .with("ended_at", record.endedAt)
        .with("detail", record.detail)
        .with("new_since", record.newSince);
}

JsonValue json(const OperationItemRecord &record)
{
    return JsonObject()
        .with("delivery_id", record.delivery)
        .with("result", record.result)
        .with("detail", record.detail)
        .with("outcome", textOrNull(record.outcome))
        .with("at", record.at);
}

JsonValue json(const DeliveryStory &story)
{
    return withoutEvent(story).with("event", json(story.event));
}

JsonValue json(const EventStory &story)
{
    std::vector<JsonValue> deliveries;
    for (const DeliveryStory &each : story.deliveries)
        deliveries.push_back(withoutEvent(each));
    return JsonObject().withAll(json(story.event)).with("deliveries", JsonValue::array(std::move(deliveries)));
}

JsonValue json(const EngineRecord &record)
{
    return JsonObject()
        .with("id", record.id)
        .with("name", record.name)
        .with("host", record.host)
        .with("pid", record.pid)
        .with("version", record.version)
        .with("started_at", record.startedAt)
        .with("heartbeat_at", record.heartbeatAt)
        .with("alive", record.isAlive)
        .with("skew_ms", record.skew)
        .with("in_flight", record.inFlight);
}

JsonValue json(const ProviderRecord &record)
{
    return JsonObject()
        .with("name", record.name)
        .with("kind", record.kind)
        .with("channel", record.channel)
        .with("limit_per_second", record.limitPerSecond)
        .with("paused", record.paused)
        .with("pause_reason", textOrNull(record.pauseReason))
        .with("paused_until", record.pausedUntil)
        .with("throttled_until", record.throttledUntil)
        .with("breaker", record.breaker)
        .with("breaker_reason", textOrNull(record.breakerReason))
        .with("breaker_until", record.breakerUntil)
        .with("override_per_second", record.overridePerSecond)
        .with("override_until", record.overrideUntil)
        .with("in_flight", record.inFlight)
        .with("used_per_second", record.usedPerSecond)
        .with("attempts", record.attempts)
        .with("throttled", record.throttled)
        .with("failed", record.failed);
}

JsonValue json(const BacklogRecord &record)
{
    return JsonObject()
        .with("provider", textOrNull(record.provider))
        .with("channel", record.channel)
        .with("lane", record.lane)
        .with("waiting", record.waiting)
        .with("scheduled", record.scheduled)
        .with("in_flight", record.inFlight)
        .with("held", record.held)
        .with("oldest_age_ms", record.oldestAge);
}

JsonValue json(const PauseRecord &record)
{
    return JsonObject()
        .with("kind", record.kind)
        .with("name", textOrNull(record.name))
        .with("reason", textOrNull(record.reason))
        .with("actor", record.actor)
        .with("since", record.since)
        .with("until", record.until);
}

JsonValue json(const StatusRecord &record)
{
    return JsonObject()
        .with("now", record.now)
        .with("healthy", record.isHealthy)
        .with("verdict", record.verdict)
        .with("pending_events", record.pendingEvents)
        .with("oldest_pending_age_ms", record.oldestPendingAge)
        .with("rejected_events", record.rejectedEvents)
        .with("dead", record.dead)
        .with("unknown", record.unknown)
        .with("count_cap", countCap)
        .with("published_set", record.publishedSet)
        .with("backlog", jsonList(record.backlog))
        .with("providers", jsonList(record.providers))
        .with("engines", jsonList(record.engines))
        .with("pauses", jsonList(record.pauses))
        .with("open_operations", record.openOperations);
}

JsonValue json(const PreviewRecord &record)
{
    return JsonObject()
        .with("count", record.count)
        .with("count_cap", countCap)
        .with("capped", record.isCapped)
        .with("changeable", record.changeable)
        .with("people", record.people)
        .with("expired", record.expired)
        .with("content_gone", record.contentGone)
        .with("possible_duplicates", record.possibleDuplicates)
        .with("by_channel", countsByName(record.byChannel))
        .with("by_provider", countsByName(record.byProvider))
        .with("by_code", countsByName(record.byCode))
        .with("refusals", countsByName(record.refusals))
        .with("watermark", record.watermark)
        .with("rate", record.rate)
        .with("spare_per_second", record.sparePerSecond)
        .with("finishes_ms", record.finishes)
        .with("samples", jsonList(record.samples));
}

JsonValue json(const NoteRecord &record)
{
    return JsonObject()
        .with("id", record.id)
        .with("text", record.text)
        .with("actor", record.actor)
        .with("at", record.at);
}

JsonValue json(const ProblemRecord &record)
{
    return JsonObject()
        .with("key", record.key)
        .with("filter", record.filter)
        .with("title", record.title)
        .with("outcome", textOrNull(record.outcome))
        .with("provider", textOrNull(record.provider))
        .with("channel", textOrNull(record.channel))
        .with("status", record.status)
        .with("code", textOrNull(record.code))
        .with("text", textOrNull(record.text))
        .with("dead", record.dead)
        .with("unknown", record.unknown)
        .with("failing", record.failing)
        .with("people", record.people)
        .with("first_seen", record.firstSeen)
        .with("last_seen", record.lastSeen)
        .with("suggestion", record.suggestion)
        .with("verb", textOrNull(record.verb))
        .with("notes", jsonList(record.notes));
}

JsonValue json(const PersonEvent &event)
{
    std::vector<JsonValue> deliveries;
    for (const PersonDelivery &each : event.deliveries)
        deliveries.push_back(JsonObject().withAll(json(each.delivery)).with("verdict", each.verdict));
    return JsonObject().withAll(json(event.event)).with("deliveries", JsonValue::array(std::move(deliveries)));
}

JsonValue json(const PersonContact &contact)
{
    return JsonObject()
        .with("id", contact.id)
        .with("channel", contact.channel)
        .with("address_mask", contact.addressMask)
        .with("locale", textOrNull(contact.locale))
        .with("time_zone", textOrNull(contact.timeZone))
        .with("disabled_at", contact.disabledAt)
        .with("disabled_reason", textOrNull(contact.disabledReason));
}

JsonValue json(const PersonPreference &preference)
{
    return JsonObject()
        .with("category", preference.category)
        .with("channel", preference.channel)
        .with("allowed", preference.isAllowed)
        .with("set_by", textOrNull(preference.setBy))
        .with("set_at", preference.setAt);
}

JsonValue json(const PersonSuppression &suppression)
{
    return JsonObject()
        .with("channel", suppression.channel)
        .with("address_mask", suppression.addressMask)
        .with("scope", suppression.scope)
        .with("scope_value", textOrNull(suppression.scopeValue))
        .with("reason", suppression.reason)
        .with("created_by", textOrNull(suppression.createdBy))
        .with("created_at", suppression.createdAt)
        .with("expires_at", suppression.expiresAt);
}

JsonValue json(const PersonRecord &record)
{
    return JsonObject()
        .with("found_by", record.foundBy)
        .with("user_id", textOrNull(record.user.value))
        .with("contacts", jsonList(record.contacts))
        .with("preferences", jsonList(record.preferences))
        .with("suppressions", jsonList(record.suppressions))
        .with("events", jsonList(record.events))
        .with("has_more", record.hasMore)
        .with("notes", jsonList(record.notes));
}

JsonValue json(const ForecastRecord &record)
{
    return JsonObject()
        .with("from", record.from)
        .with("waiting_now", record.waitingNow)
        .with("due_by_minute", numbers(record.dueByMinute))
        .with("retry_by_minute", numbers(record.retryByMinute))
        .with("later", record.later)
        .with("count_cap", countCap);
}

JsonValue json(const ActivityPoint &point)
{
    return JsonObject()
        .with("start", point.start)
        .with("provider", textOrNull(point.provider))
        .with("channel", point.channel)
        .with("lane", point.lane)
        .with("kind", point.isEnd ? QStringLiteral("end") : QStringLiteral("attempt"))
        .with("word", point.word)
        .with("count", point.count)
        .with("duration_ms", point.duration);
}

} // namespace sendoff::app
