-- What people's commands, their questions and the charts need of the store.

-- The newest operation that gave this row back to the queue: what becomes of it is told to that operation's item.
ALTER TABLE sendoff_delivery_hot ADD COLUMN operation_id bigint
---
ALTER TABLE sendoff_delivery_history ADD COLUMN operation_id bigint
---
CREATE INDEX sendoff_hot_operation ON sendoff_delivery_hot (operation_id, due_at) WHERE operation_id IS NOT NULL
---
-- A person is looked up by address in live and finished rows alike.
CREATE INDEX sendoff_hot_address ON sendoff_delivery_hot (address_hash)
---
CREATE INDEX sendoff_hot_message ON sendoff_delivery_hot (provider_message_id) WHERE provider_message_id IS NOT NULL
---
CREATE INDEX sendoff_hot_failing ON sendoff_delivery_hot (fingerprint) WHERE fingerprint IS NOT NULL
---
CREATE INDEX sendoff_hot_parent ON sendoff_delivery_hot (parent_id) WHERE parent_id IS NOT NULL
---
CREATE INDEX sendoff_history_parent ON sendoff_delivery_history (parent_id) WHERE parent_id IS NOT NULL
---
CREATE INDEX sendoff_history_ended ON sendoff_delivery_history (ended_at, id)
---
-- The rows of one kind of failure, in a list's order.
CREATE INDEX sendoff_history_problem ON sendoff_delivery_history (fingerprint, created_at, id) WHERE fingerprint IS NOT NULL
---
-- With the id, so that a list of what is due next can go on between rows of the same moment.
DROP INDEX sendoff_hot_due
---
CREATE INDEX sendoff_hot_due ON sendoff_delivery_hot (due_at, id) WHERE state = 'scheduled'
---
-- All that groups of failures are made of, so that they are counted from the index alone.
CREATE INDEX sendoff_history_failed ON sendoff_delivery_history (fingerprint, recipient, state, ended_at, type, channel, provider, address_domain, published_set) WHERE state IN ('dead', 'unknown', 'bounced')
---
-- What went to one address, newest first.
DROP INDEX sendoff_history_address
---
CREATE INDEX sendoff_history_address ON sendoff_delivery_history (address_hash, ended_at)
---
-- One kind of failure: outcome class, provider, code and the provider's words without what differs from row to row.
CREATE TABLE sendoff_problem (
    fingerprint  text NOT NULL PRIMARY KEY,
    outcome      text NOT NULL,
    provider     text NOT NULL,
    channel      text NOT NULL,
    status       integer NOT NULL,
    code         text NOT NULL,
    text         text NOT NULL,
    $time(first_seen) NOT NULL DEFAULT $now
)$end_table
---
-- What people wrote down about a problem, a delivery, an event, a provider or a person.
CREATE TABLE sendoff_note (
    id           $identity,
    kind         text NOT NULL CHECK (kind IN ('problem', 'delivery', 'event', 'provider', 'user')),
    object       text NOT NULL CHECK (length(object) BETWEEN 1 AND 200),
    text         text NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
    actor        text NOT NULL,
    $time(at) NOT NULL DEFAULT $now
)$end_table
---
CREATE INDEX sendoff_note_object ON sendoff_note (kind, object, id)
---
-- The payload of a delivery that a person edited; it goes with the delivery's content.
CREATE TABLE sendoff_edit (
    delivery_id  text NOT NULL PRIMARY KEY,
    payload      text NOT NULL,
    $time(created_at) NOT NULL DEFAULT $now
)$end_table
---
-- What happened in each minute. An engine only counts into rows of its own, so that no two wait for each other.
CREATE TABLE sendoff_minute (
    $time(minute) NOT NULL,
    engine       text NOT NULL,
    provider     text NOT NULL,
    channel      text NOT NULL,
    lane         text NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('attempt', 'end')),
    word         text NOT NULL,              -- the attempt's outcome, or the state a delivery ended in
    count        bigint NOT NULL DEFAULT 0,
    duration_ms  bigint NOT NULL DEFAULT 0,  -- of attempts, summed
    PRIMARY KEY (minute, provider, channel, lane, kind, word, engine)
)$end_table
---
ALTER TABLE sendoff_operation ADD COLUMN is_paused $flag NOT NULL DEFAULT 0
---
-- Of the rows it gave back: how many were accepted since. failed_count holds those that failed again.
ALTER TABLE sendoff_operation ADD COLUMN accepted_count bigint NOT NULL DEFAULT 0
---
-- 1 once each of its rows has an outcome (or they expired): nothing is left to count.
ALTER TABLE sendoff_operation ADD COLUMN is_tallied $flag NOT NULL DEFAULT 0
---
-- Of a reveal: the transaction that asked, and whether it was answered.
ALTER TABLE sendoff_operation ADD COLUMN asked_in text
---
ALTER TABLE sendoff_operation ADD COLUMN answered $flag NOT NULL DEFAULT 0
---
CREATE INDEX sendoff_operation_untallied ON sendoff_operation (id) WHERE is_tallied = 0
---
-- The newest outcome of the row since the operation gave it back; empty before the first.
ALTER TABLE sendoff_operation_item ADD COLUMN outcome text NOT NULL DEFAULT ''
---
CREATE INDEX sendoff_operation_item_outcome ON sendoff_operation_item (operation_id, result, outcome)
---
DROP VIEW sendoff_v_delivery
---
DROP VIEW sendoff_delivery
---
CREATE VIEW sendoff_delivery AS
    SELECT * FROM sendoff_delivery_hot UNION ALL SELECT * FROM sendoff_delivery_history
---
CREATE VIEW sendoff_v_delivery AS
    SELECT id, event_id, type, tenant, category, channel, provider, lane, role, user_id, recipient, destination, revision,
           parent_id, address_mask, address_domain, address_last4, state, reason, detail, claims, attempts, failures,
           has_unknown, possible_duplicate, last_outcome, last_code, last_status, provider_message_id,
           created_at, due_at, expires_at, first_handed_at, accepted_at, ended_at, lease_holder, lease_until,
           lease_token AS version, fingerprint, operation_id
    FROM sendoff_delivery
