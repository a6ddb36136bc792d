-- The first schema. Read by engine/store/migrator.cpp:
--   a line "---" ends a statement; "--pg " and "--sqlite " begin lines for one database only;
--   "--define NAME" … "--end" names a piece that $(NAME) repeats;
--   $time(x) is a column x of the database's time type with its check, $now the database's clock,
--   $identity, $flag and $bytes are the types of a counter, a 0/1 and a blob; $end_table closes a table.

CREATE TABLE sendoff_schema (
    only_row    integer NOT NULL PRIMARY KEY CHECK (only_row = 1),
    schema      integer NOT NULL,  -- the newest migration that ran
    min_reader  integer NOT NULL,  -- programs below this number refuse to open
    min_writer  integer NOT NULL,  -- programs below this number open read-only
    $time(migrated_at) NOT NULL DEFAULT $now
)$end_table
---
INSERT INTO sendoff_schema (only_row, schema, min_reader, min_writer) VALUES (1, 0, 1, 1)
---
-- The outbox. What an application may set stands first; everything after `traceparent` is the engine's.
CREATE TABLE sendoff_event (
--pg     sequence      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
--sqlite     sequence      INTEGER PRIMARY KEY AUTOINCREMENT,
--pg     id            text NOT NULL PRIMARY KEY DEFAULT gen_random_uuid()::text CHECK (octet_length(id) BETWEEN 1 AND 200),
--sqlite     id            TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))) CHECK (length(CAST(id AS BLOB)) BETWEEN 1 AND 200 AND instr(id, char(0)) = 0),
    type          text NOT NULL CHECK (length(type) BETWEEN 1 AND 200),
--pg     payload       text NOT NULL CHECK (octet_length(payload) <= 262144 AND json_typeof(payload::json) = 'object' AND position('\u0000' in replace(payload, '\\', '')) = 0),
--sqlite     payload       TEXT NOT NULL CHECK (length(CAST(payload AS BLOB)) <= 262144 AND json_valid(payload) AND json_type(payload) = 'object' AND instr(replace(payload, '\\', ''), '\u0000') = 0 AND instr(payload, char(0)) = 0),
    tenant        text NOT NULL DEFAULT '' CHECK (length(tenant) <= 200),
    lane          text CHECK (lane IN ('urgent', 'normal', 'bulk')),
    $time(available_at) NOT NULL DEFAULT $now,
    $time(expires_at),
    $time(occurred_at) NOT NULL DEFAULT $now,
    supersedes_key text CHECK (length(supersedes_key) BETWEEN 1 AND 200),
    traceparent   text CHECK (length(traceparent) <= 100),
    $time(recorded_at) NOT NULL DEFAULT $now,
    state         text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'relayed', 'rejected')),
    reason        text,
    tries         integer NOT NULL DEFAULT 0,
    $time(relay_after),
    $time(relayed_at),
    published_set bigint,
    folded        integer NOT NULL DEFAULT 0,
    secrets       text NOT NULL DEFAULT '',   -- JSON pointers, one a line
    $time(scrubbed_at),
    $time(content_removed_at)
)$end_table
---
--pg CREATE UNIQUE INDEX sendoff_event_sequence ON sendoff_event (sequence)
---
CREATE INDEX sendoff_event_pending ON sendoff_event (sequence) WHERE state = 'pending'
---
CREATE INDEX sendoff_event_rejected ON sendoff_event (sequence) WHERE state = 'rejected'
---
-- The newest event of each supersedes key; its row lock orders relays of the same key.
CREATE TABLE sendoff_supersession (
    tenant    text NOT NULL,
    key       text NOT NULL,
    sequence  bigint NOT NULL,
    PRIMARY KEY (tenant, key)
)$end_table
---
CREATE TABLE sendoff_published_set (
    id         $identity,
    hash       text NOT NULL,
    catalogue  text NOT NULL,
    templates  text NOT NULL,
    actor      text NOT NULL,
    note       text NOT NULL DEFAULT '',
    $time(published_at) NOT NULL DEFAULT $now
)$end_table
---
CREATE TABLE sendoff_contact (
    id            text NOT NULL PRIMARY KEY
--pg     DEFAULT gen_random_uuid()::text,
--sqlite     DEFAULT (lower(hex(randomblob(16)))),
    user_id       text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 200),
    channel       text NOT NULL CHECK (channel IN ('email', 'sms', 'push', 'webhook')),
    address       text NOT NULL DEFAULT '' CHECK (length(address) <= 2000),
    address_sealed $bytes,
    seal_key      text,
    address_hash  text,
    locale        text NOT NULL DEFAULT '',
    time_zone     text NOT NULL DEFAULT '',
    $time(created_at) NOT NULL DEFAULT $now,
    $time(disabled_at),
    disabled_reason text
)$end_table
---
CREATE INDEX sendoff_contact_user ON sendoff_contact (user_id, channel)
---
CREATE TABLE sendoff_preference (
    user_id    text NOT NULL,
    category   text NOT NULL,
    channel    text NOT NULL,
    allowed    $flag NOT NULL,
    set_by     text NOT NULL DEFAULT '',
    $time(set_at) NOT NULL DEFAULT $now,
    PRIMARY KEY (user_id, category, channel)
)$end_table
---
CREATE TABLE sendoff_suppression (
    id            $identity,
    channel       text NOT NULL,
    address_hash  text NOT NULL,
    address_mask  text NOT NULL DEFAULT '',
    scope         text NOT NULL DEFAULT 'all' CHECK (scope IN ('all', 'category', 'provider')),
    scope_value   text NOT NULL DEFAULT '',
    reason        text NOT NULL CHECK (reason IN ('hard_bounce', 'complaint', 'refused', 'person')),
    source_delivery text,
    created_by    text NOT NULL DEFAULT '',
    $time(created_at) NOT NULL DEFAULT $now,
    $time(expires_at)
)$end_table
---
CREATE UNIQUE INDEX sendoff_suppression_address ON sendoff_suppression (channel, address_hash, scope, scope_value, reason)
---
--define delivery
    id            text NOT NULL,
    event_id      text NOT NULL,
    event_sequence bigint NOT NULL,
    type          text NOT NULL,
    tenant        text NOT NULL,
    category      text NOT NULL,
    channel       text NOT NULL,
    provider      text NOT NULL,
    lane          text NOT NULL,
    recipient     text NOT NULL,
    user_id       text NOT NULL,
    destination   text NOT NULL,
    revision      integer NOT NULL,
    parent_id     text,
    role          text NOT NULL,
    element       text NOT NULL,
    template      text NOT NULL,
    published_set bigint NOT NULL,
    locale        text NOT NULL,
    time_zone     text NOT NULL,
    sender        text NOT NULL DEFAULT '',
    pins          text,                       -- further contact fields used, JSON
    address       text NOT NULL,
    address_sealed $bytes,
    seal_key      text,
    address_hash  text NOT NULL,
    address_mask  text NOT NULL,
    address_domain text NOT NULL,
    address_last4 text NOT NULL,
    state         text NOT NULL,
    reason        text NOT NULL,
    detail        text NOT NULL DEFAULT '',
    supersedes_key text NOT NULL DEFAULT '',
    has_secret    $flag NOT NULL DEFAULT 0,
    $time(created_at) NOT NULL,
    $time(due_at) NOT NULL,
    $time(expires_at) NOT NULL,
    vstart        bigint NOT NULL DEFAULT 0,  -- start tag of fair queueing
    claims        integer NOT NULL DEFAULT 0,
    attempts      integer NOT NULL DEFAULT 0,
    failures      integer NOT NULL DEFAULT 0,
    losses        integer NOT NULL DEFAULT 0,
    lease_token   bigint NOT NULL DEFAULT 1,  -- moves at every change: the fence and the row's version
    lease_holder  text,
    $time(lease_until),
    $time(handed_at),                         -- this lease's request may have left since then
    $time(first_handed_at),
    has_unknown   $flag NOT NULL DEFAULT 0,
    possible_duplicate $flag NOT NULL DEFAULT 0,
    last_outcome  text,
    last_code     text,
    last_status   integer,
    fingerprint   text,
    provider_message_id text,
    $time(accepted_at),
    $time(content_removed_at),
    $time(ended_at)
--end
-- What still has something to do: small, hot, every claim scans it.
CREATE TABLE sendoff_delivery_hot (
$(delivery),
    PRIMARY KEY (id)
--pg ) WITH (fillfactor = 70) -- room for the hand-over's update, which touches no index
--sqlite ) STRICT
---
CREATE UNIQUE INDEX sendoff_hot_key ON sendoff_delivery_hot (event_id, channel, recipient, destination, revision)
---
CREATE INDEX sendoff_hot_ready ON sendoff_delivery_hot (provider, lane, vstart, id) WHERE state = 'ready' AND losses = 0
---
CREATE INDEX sendoff_hot_suspect ON sendoff_delivery_hot (provider, id) WHERE state = 'ready' AND losses > 0
---
CREATE INDEX sendoff_hot_due ON sendoff_delivery_hot (due_at) WHERE state = 'scheduled'
---
CREATE INDEX sendoff_hot_lease ON sendoff_delivery_hot (lease_until) WHERE state = 'leased'
---
CREATE INDEX sendoff_hot_expiry ON sendoff_delivery_hot (expires_at) WHERE state IN ('scheduled', 'ready', 'held')
---
CREATE INDEX sendoff_hot_supersedes ON sendoff_delivery_hot (tenant, supersedes_key) WHERE supersedes_key <> ''
---
-- The lists of people go newest first through both tables.
CREATE INDEX sendoff_hot_created ON sendoff_delivery_hot (created_at, id)
---
CREATE INDEX sendoff_hot_user ON sendoff_delivery_hot (user_id)
---
-- What is finished, by the month of its end.
CREATE TABLE sendoff_delivery_history (
$(delivery)
--pg )PARTITION BY RANGE (ended_at)
--sqlite , PRIMARY KEY (id)) STRICT
---
--pg CREATE INDEX sendoff_history_id ON sendoff_delivery_history (id)
---
CREATE INDEX sendoff_history_created ON sendoff_delivery_history (created_at, id)
---
CREATE INDEX sendoff_history_listed ON sendoff_delivery_history (state, created_at, id)
---
CREATE INDEX sendoff_history_event ON sendoff_delivery_history (event_id)
---
CREATE INDEX sendoff_history_user ON sendoff_delivery_history (user_id, ended_at)
---
CREATE INDEX sendoff_history_address ON sendoff_delivery_history (address_hash)
---
CREATE INDEX sendoff_history_state ON sendoff_delivery_history (state, ended_at, id)
---
CREATE INDEX sendoff_history_message ON sendoff_delivery_history (provider_message_id)
---
-- One row for each request that may have left us.
CREATE TABLE sendoff_attempt (
    delivery_id   text NOT NULL,
    number        integer NOT NULL,
    lease_token   bigint NOT NULL,
    engine        text NOT NULL,
    provider      text NOT NULL,
    $time(started_at) NOT NULL,
    $time(ended_at) NOT NULL,
    outcome       text NOT NULL,
    status        integer NOT NULL,
    code          text NOT NULL,
    text          text NOT NULL,
    wait_ms       bigint,
    next_delay_ms bigint,
    possible_duplicate $flag NOT NULL DEFAULT 0,
    provider_message_id text,
    traceparent   text,
    PRIMARY KEY (delivery_id, number, ended_at)
--pg )PARTITION BY RANGE (ended_at)
--sqlite ) STRICT
---
-- The exact bytes of a first attempt that failed; gone with the end of the delivery.
CREATE TABLE sendoff_content (
    delivery_id  text NOT NULL PRIMARY KEY,
    body         text NOT NULL,
    $time(created_at) NOT NULL DEFAULT $now
)$end_table
---
CREATE TABLE sendoff_inbox (
    id          text NOT NULL PRIMARY KEY,  -- the delivery's
    user_id     text NOT NULL,
    tenant      text NOT NULL,
    event_id    text NOT NULL,
    type        text NOT NULL,
    locale      text NOT NULL,
    title       text NOT NULL,
    body        text NOT NULL,
    link        text NOT NULL,
    $time(created_at) NOT NULL DEFAULT $now,
    $time(read_at),
    $time(archived_at)
)$end_table
---
CREATE INDEX sendoff_inbox_user ON sendoff_inbox (user_id, created_at)
---
CREATE TABLE sendoff_receipt (
    id          $identity,
    provider    text NOT NULL,
    provider_event_id text NOT NULL,
    provider_message_id text NOT NULL DEFAULT '',
    delivery_id text,
    kind        text NOT NULL,  -- accepted delivered bounced complained failed delayed opened clicked unsubscribed unknown
    is_hard     $flag NOT NULL DEFAULT 0,
    source      text NOT NULL DEFAULT 'callback', -- callback asked late_result
    detail      text NOT NULL DEFAULT '',
    $time(occurred_at),
    $time(arrived_at) NOT NULL DEFAULT $now,
    $time(applied_at)
)$end_table
---
CREATE UNIQUE INDEX sendoff_receipt_once ON sendoff_receipt (provider, provider_event_id)
---
CREATE INDEX sendoff_receipt_delivery ON sendoff_receipt (delivery_id)
---
CREATE INDEX sendoff_receipt_message ON sendoff_receipt (provider, provider_message_id)
---
-- A provider as the whole fleet sees it: bucket, pause, breaker.
CREATE TABLE sendoff_provider (
    name         text NOT NULL PRIMARY KEY,
    channel      text NOT NULL,
    kind         text NOT NULL,
    priority     integer NOT NULL DEFAULT 1,
    step_us      bigint NOT NULL DEFAULT 0,   -- microseconds between tokens, 0: no limit
    burst        bigint NOT NULL DEFAULT 1,
    tat_us       bigint NOT NULL DEFAULT 0,   -- theoretical arrival time of the next token
    granted      bigint NOT NULL DEFAULT 0,
    wait_us      bigint NOT NULL DEFAULT 0,
    override_step_us bigint,
    $time(override_until),
    $time(throttled_until),
    paused       $flag NOT NULL DEFAULT 0,
    $time(paused_until),
    pause_reason text NOT NULL DEFAULT '',
    breaker      text NOT NULL DEFAULT 'closed' CHECK (breaker IN ('closed', 'open', 'half_open')),
    breaker_trips integer NOT NULL DEFAULT 0,
    $time(breaker_until),
    breaker_reason text NOT NULL DEFAULT '',
    $time(changed_at) NOT NULL DEFAULT $now
)$end_table
---
CREATE TABLE sendoff_lane_clock (
    provider text NOT NULL,
    lane     text NOT NULL,
    v        bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (provider, lane)
)$end_table
---
CREATE TABLE sendoff_flow (
    provider text NOT NULL,
    lane     text NOT NULL,
    tenant   text NOT NULL,
    fin      bigint NOT NULL,
    PRIMARY KEY (provider, lane, tenant)
)$end_table
---
CREATE TABLE sendoff_pause (
    kind     text NOT NULL CHECK (kind IN ('lane', 'channel', 'all')),
    name     text NOT NULL,
    reason   text NOT NULL DEFAULT '',
    actor    text NOT NULL DEFAULT '',
    $time(since) NOT NULL DEFAULT $now,
    $time(until),
    PRIMARY KEY (kind, name)
)$end_table
---
CREATE TABLE sendoff_engine (
    id           text NOT NULL PRIMARY KEY,  -- one run of one process
    name         text NOT NULL,
    host         text NOT NULL,
    pid          bigint NOT NULL,
    version      text NOT NULL,
    schema       integer NOT NULL,
    $time(started_at) NOT NULL DEFAULT $now,
    $time(heartbeat_at) NOT NULL DEFAULT $now,
    asleep       $flag NOT NULL DEFAULT 0,
    skew_ms      bigint NOT NULL DEFAULT 0,  -- its clock minus the database's
    in_flight    integer NOT NULL DEFAULT 0,
    $time(stopped_at)
)$end_table
---
CREATE INDEX sendoff_engine_asleep ON sendoff_engine (heartbeat_at) WHERE asleep = 1
---
CREATE TABLE sendoff_operation (
    id           $identity,
    verb         text NOT NULL,
    filter       text NOT NULL,              -- canonical filter text, never SQL; ids stand in it too
    watermark    bigint NOT NULL,            -- events after this sequence are not touched
    expected     bigint NOT NULL,
    parameters   text NOT NULL DEFAULT '{}',
    rate         bigint NOT NULL DEFAULT 0,  -- a second, 0: as fast as the quota allows
    stop_at_failures integer,
    reason       text NOT NULL DEFAULT '',
    actor        text NOT NULL,
    dedupe       text UNIQUE,
    $time(created_at) NOT NULL DEFAULT $now,
    $time(armed_until) NOT NULL,
    state        text NOT NULL CHECK (state IN ('armed', 'running', 'done', 'undone', 'stopped', 'failed')),
    stop_requested $flag NOT NULL DEFAULT 0,
    cursor       text NOT NULL DEFAULT '',
    done_count   bigint NOT NULL DEFAULT 0,
    skipped_count bigint NOT NULL DEFAULT 0,
    failed_count bigint NOT NULL DEFAULT 0,
    engine       text,
    $time(lease_until),
    $time(started_at),
    $time(ended_at),
    detail       text NOT NULL DEFAULT ''
)$end_table
---
CREATE INDEX sendoff_operation_open ON sendoff_operation (armed_until) WHERE state IN ('armed', 'running')
---
CREATE TABLE sendoff_operation_item (
    operation_id bigint NOT NULL,
    delivery_id  text NOT NULL,
    result       text NOT NULL CHECK (result IN ('done', 'skipped', 'failed')),
    detail       text NOT NULL DEFAULT '',
    $time(at) NOT NULL DEFAULT $now,
    PRIMARY KEY (operation_id, delivery_id)
)$end_table
---
CREATE INDEX sendoff_operation_item_delivery ON sendoff_operation_item (delivery_id)
---
-- What people did, each row chained to the hash of the one before.
CREATE TABLE sendoff_audit (
    id        $identity,
    $time(at) NOT NULL DEFAULT $now,
    actor     text NOT NULL,
    action    text NOT NULL,
    object    text NOT NULL,
    detail    text NOT NULL DEFAULT '',
    previous  text NOT NULL,
    hash      text NOT NULL
)$end_table
---
--pg CREATE FUNCTION sendoff_make_partitions(ahead integer) RETURNS void LANGUAGE plpgsql AS $body$
--pg DECLARE
--pg     month timestamptz;
--pg     parent text;
--pg BEGIN
--pg     FOR step IN 0..ahead LOOP
--pg         month := (date_trunc('month', now() AT TIME ZONE 'UTC') + step * interval '1 month') AT TIME ZONE 'UTC';
--pg         FOREACH parent IN ARRAY ARRAY['sendoff_delivery_history', 'sendoff_attempt'] LOOP
--pg             EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
--pg                 parent || to_char(month AT TIME ZONE 'UTC', '"_"YYYY"_"MM'), parent, month,
--pg                 (date_trunc('month', now() AT TIME ZONE 'UTC') + (step + 1) * interval '1 month') AT TIME ZONE 'UTC');
--pg         END LOOP;
--pg     END LOOP;
--pg END $body$
---
--pg CREATE TABLE sendoff_delivery_history_default PARTITION OF sendoff_delivery_history DEFAULT
---
--pg CREATE TABLE sendoff_attempt_default PARTITION OF sendoff_attempt DEFAULT
---
--pg SELECT sendoff_make_partitions(3)
---
-- Wakes engines that said they sleep; costs the application one index probe while they work.
--pg CREATE FUNCTION sendoff_wake() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $body$
--pg BEGIN
--pg     IF EXISTS (SELECT 1 FROM sendoff_engine WHERE asleep = 1 AND heartbeat_at > now() - interval '5 minutes') THEN
--pg         PERFORM pg_notify('sendoff_' || TG_TABLE_SCHEMA, '');
--pg     END IF;
--pg     RETURN NULL;
--pg END $body$
---
--pg CREATE TRIGGER sendoff_event_wake AFTER INSERT ON sendoff_event FOR EACH STATEMENT EXECUTE FUNCTION sendoff_wake()
---
--pg CREATE TRIGGER sendoff_operation_wake AFTER INSERT OR UPDATE OF stop_requested ON sendoff_operation FOR EACH STATEMENT EXECUTE FUNCTION sendoff_wake()
---
-- One delivery table as people see it: what is live and what is finished.
CREATE VIEW sendoff_delivery AS
    SELECT * FROM sendoff_delivery_hot UNION ALL SELECT * FROM sendoff_delivery_history
---
CREATE VIEW sendoff_v_delivery AS
    SELECT id, event_id, type, tenant, category, channel, provider, lane, role, user_id, recipient, destination, revision,
           parent_id, address_mask, address_domain, address_last4, state, reason, detail, claims, attempts, failures,
           has_unknown, possible_duplicate, last_outcome, last_code, last_status, provider_message_id,
           created_at, due_at, expires_at, first_handed_at, accepted_at, ended_at, lease_holder, lease_until,
           lease_token AS version
    FROM sendoff_delivery
---
CREATE VIEW sendoff_v_event AS
    SELECT id, sequence, type, tenant, lane, state, reason, tries, occurred_at, available_at, expires_at, recorded_at, relayed_at,
           supersedes_key, folded, published_set, scrubbed_at, content_removed_at
    FROM sendoff_event
