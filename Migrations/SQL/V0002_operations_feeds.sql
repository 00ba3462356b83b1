-- Feeds and webhooks: where they stand. Losing this file loses no answer; webhooks then begin at
-- the end of the log, and what was waiting must be delivered again by range.

-- How far the feed's clock came, and the end of the log by then.
CREATE TABLE feed_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    -- Milliseconds since the Unix epoch.
    at INTEGER NOT NULL
) STRICT;

-- What only the clock made true: told after `position`, when the clock stood at `at`.
CREATE TABLE clock_readings (
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    -- Which of the chains of one reading.
    ordinal INTEGER NOT NULL,
    bundle_id TEXT NOT NULL,
    -- originalTransactionId.
    chain TEXT NOT NULL,
    PRIMARY KEY (position, at, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX clock_readings_chain ON clock_readings (chain, bundle_id);

-- One row per configured endpoint that was ever seen. The cursor is a place in the feed:
-- everything up to it was delivered, or stands in webhook_waiting.
CREATE TABLE webhook_endpoints (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    place INTEGER NOT NULL,
    -- When the endpoint answered that it is gone; NULL while it is delivered to.
    disabled_at INTEGER,
    last_attempt_at INTEGER,
    last_success_at INTEGER,
    -- How the last attempt ended: a status, or a code.
    last_outcome TEXT
) STRICT, WITHOUT ROWID;

-- What an endpoint did not take yet, or, with parked_at, never took in time.
CREATE TABLE webhook_waiting (
    endpoint TEXT NOT NULL,
    position INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    place INTEGER NOT NULL,
    bundle_id TEXT NOT NULL,
    chain TEXT NOT NULL,
    -- 0: waits only because an earlier change of its chain does.
    attempts INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    outcome TEXT,
    parked_at INTEGER,
    PRIMARY KEY (endpoint, position, clock, ordinal, place)
) STRICT, WITHOUT ROWID;
