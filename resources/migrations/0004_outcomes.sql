-- What providers say later, what they are asked, and what they were given instead of each other.

-- Of a receipt until it is applied: what it does to its address.
ALTER TABLE sendoff_receipt ADD COLUMN suppresses $flag NOT NULL DEFAULT 0
---
ALTER TABLE sendoff_receipt ADD COLUMN suppress_reason text NOT NULL DEFAULT ''
---
ALTER TABLE sendoff_receipt ADD COLUMN address_hash text NOT NULL DEFAULT ''
---
ALTER TABLE sendoff_receipt ADD COLUMN address_mask text NOT NULL DEFAULT ''
---
ALTER TABLE sendoff_receipt ADD COLUMN provider_code text NOT NULL DEFAULT ''
---
-- A receipt may come before our own write of the send, or belong to somebody else's message: it is looked for again.
ALTER TABLE sendoff_receipt ADD COLUMN tries integer NOT NULL DEFAULT 0
---
ALTER TABLE sendoff_receipt ADD COLUMN $time(try_after)
---
CREATE INDEX sendoff_receipt_waiting ON sendoff_receipt (try_after, id) WHERE applied_at IS NULL
---
-- The rate that answers have taught: step_us is the configured ceiling's, this one the newest halving's, from which the
-- rate climbs again by itself.
ALTER TABLE sendoff_provider ADD COLUMN learned_step_us bigint
---
ALTER TABLE sendoff_provider ADD COLUMN $time(learned_at)
---
-- Messages a day and a month, in UTC; 0: no limit.
ALTER TABLE sendoff_provider ADD COLUMN daily_limit bigint NOT NULL DEFAULT 0
---
ALTER TABLE sendoff_provider ADD COLUMN monthly_limit bigint NOT NULL DEFAULT 0
---
ALTER TABLE sendoff_provider ADD COLUMN day text NOT NULL DEFAULT ''
---
ALTER TABLE sendoff_provider ADD COLUMN day_used bigint NOT NULL DEFAULT 0
---
ALTER TABLE sendoff_provider ADD COLUMN month_used bigint NOT NULL DEFAULT 0
---
-- Of one message, in millionths of the account's currency; 0: not stated.
ALTER TABLE sendoff_provider ADD COLUMN cost_micro bigint NOT NULL DEFAULT 0
---
-- Each time that a channel's rows were given to another provider.
CREATE TABLE sendoff_failover (
    id            $identity,
    $time(at) NOT NULL DEFAULT $now,
    channel       text NOT NULL,
    from_provider text NOT NULL,
    to_provider   text NOT NULL,
    rows_moved    bigint NOT NULL,
    reason        text NOT NULL,
    engine        text NOT NULL
)$end_table
---
-- What a provider is to be asked about one delivery.
CREATE TABLE sendoff_question (
    delivery_id   text NOT NULL PRIMARY KEY,
    provider      text NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('outcome', 'receipt')),
    $time(ask_at) NOT NULL,
    asked         integer NOT NULL DEFAULT 0
)$end_table
---
CREATE INDEX sendoff_question_due ON sendoff_question (provider, ask_at)
---
-- Waiting rows whose outcome is open: few, and looked for often.
CREATE INDEX sendoff_hot_unknown ON sendoff_delivery_hot (provider, first_handed_at) WHERE has_unknown = 1
---
-- How far a walk over finished rows has come, by its name.
CREATE TABLE sendoff_mark (
    name          text NOT NULL PRIMARY KEY,
    $time(reached) NOT NULL,
    last_id       text NOT NULL DEFAULT '' -- the rows of that moment are done up to this one
)$end_table
---
-- Failures of a webhook's destination since it last took something.
CREATE TABLE sendoff_destination (
    address_hash  text NOT NULL PRIMARY KEY,
    failures      integer NOT NULL DEFAULT 0,
    $time(failing_since)
)$end_table
