-- Quarantine, feeds and webhooks, keys of uploads, recoveries and backfills. No answer depends on
-- this file.

-- Inputs that were not accepted, and why.
CREATE TABLE quarantine (
    -- No id is used twice, removed ones included.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- SHA-256 of the whole input: the same bytes again are one row with a count.
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    -- First and latest delivery, in milliseconds since the Unix epoch.
    received_at INTEGER NOT NULL,
    latest_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL CHECK (attempts > 0),
    -- 1 genuine, app configured; 2 genuine, app not configured; 3 not verifiable;
    -- 4 version 1 of a configured app without its secret.
    standing INTEGER NOT NULL CHECK (standing IN (1, 2, 3, 4)),
    code TEXT NOT NULL,
    part TEXT,
    message TEXT NOT NULL,
    bundle_id TEXT,
    environment TEXT,
    -- The source: "file:line", an address, an API page.
    input TEXT NOT NULL,
    -- The input, cut to its bound when not verifiable; byte_count is the whole length.
    byte_count INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT;

CREATE INDEX quarantine_standing ON quarantine (standing, id);
CREATE INDEX quarantine_bundle ON quarantine (standing, bundle_id);

-- Counted with each write, so that the bounds cost no scan.
CREATE TABLE quarantine_totals (
    standing INTEGER PRIMARY KEY,
    items INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

INSERT INTO quarantine_totals (standing, items, bytes)
    VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0);

-- How far the feed's clock has come, and the end of the log by then.
CREATE TABLE feed_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    -- Milliseconds since the Unix epoch.
    at INTEGER NOT NULL,
    -- Leaf hash of the event at the position: identifies the log. NULL at position 0.
    leaf_hash BLOB,
    -- 1: the next step of the feed evaluates every chain.
    looks_again INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Changes that time alone made: emitted after `position`, when the clock stood at `at`.
CREATE TABLE clock_readings (
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    -- The number of the chain within one reading.
    ordinal INTEGER NOT NULL,
    bundle_id TEXT NOT NULL,
    -- originalTransactionId.
    chain TEXT NOT NULL,
    leaf_hash BLOB,
    PRIMARY KEY (position, at, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX clock_readings_chain ON clock_readings (chain, bundle_id);

-- One row per endpoint that was ever configured. The cursor is a place in the feed: everything up
-- to it was delivered, or is in webhook_waiting. Without this file, webhooks begin at the end of
-- the log.
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
    -- The outcome of the last attempt: a status, or a code.
    last_outcome TEXT,
    -- Leaf hash of the event at the position: a restored log may have grown past it. NULL at 0.
    leaf_hash BLOB
) STRICT, WITHOUT ROWID;

-- Changes that an endpoint has not accepted yet, or, with parked_at, did not accept in time.
CREATE TABLE webhook_waiting (
    endpoint TEXT NOT NULL,
    position INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    place INTEGER NOT NULL,
    bundle_id TEXT NOT NULL,
    chain TEXT NOT NULL,
    -- 0: waits only for an earlier change of its chain.
    attempts INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    outcome TEXT,
    parked_at INTEGER,
    PRIMARY KEY (endpoint, position, clock, ordinal, place, bundle_id, chain)
) STRICT, WITHOUT ROWID;

-- Uploads under an Idempotency-Key, and their results: the same upload again has the same answer.
CREATE TABLE upload_keys (
    key TEXT PRIMARY KEY,
    -- SHA-256 of the body.
    request BLOB NOT NULL,
    -- Milliseconds since the Unix epoch.
    taken_at INTEGER NOT NULL,
    -- Of the first answer; NULL before it.
    result TEXT,
    event_position INTEGER,
    claim TEXT,
    -- The answer's moment, and its position.
    at INTEGER,
    position INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX upload_keys_taken_at ON upload_keys (taken_at);

-- One row per window and filter of a recovery. Without it, the recovery begins anew and finds the
-- same again.
CREATE TABLE recoveries (
    -- SHA-256 over app, window and filter, in hexadecimal.
    id TEXT PRIMARY KEY,
    -- Milliseconds since the Unix epoch.
    asked_at INTEGER NOT NULL,
    -- The end of the log before it.
    start_position INTEGER NOT NULL,
    -- The end of the log after the last page: a shorter log is another one.
    reached_position INTEGER NOT NULL,
    -- The earliest time of Apple's clock; NULL before the first answer.
    apple_asked_at INTEGER,
    -- 1: an input could not be appended, so the recovery confirms nothing.
    is_flawed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Parts of the window, each read page by page, several at once.
CREATE TABLE recovery_slices (
    recovery TEXT NOT NULL,
    -- The number of the query.
    pass INTEGER NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    -- Apple's token of the next page; NULL: the first.
    place TEXT,
    fetched INTEGER NOT NULL DEFAULT 0,
    is_done INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (recovery, pass, from_at)
) STRICT, WITHOUT ROWID;

-- Notifications that Apple could not deliver, by its history.
CREATE TABLE recovery_undelivered (
    recovery TEXT NOT NULL,
    notification_uuid TEXT NOT NULL,
    -- One JSON object.
    body TEXT NOT NULL,
    PRIMARY KEY (recovery, notification_uuid)
) STRICT, WITHOUT ROWID;

-- Reports of recoveries, for a caller that was interrupted before it printed one.
CREATE TABLE recovery_reports (
    -- In the order in which they ended.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bundle_id TEXT NOT NULL,
    -- Milliseconds since the Unix epoch.
    ended_at INTEGER NOT NULL,
    -- 1: an input could not be appended.
    is_flawed INTEGER NOT NULL,
    -- One JSON object.
    json TEXT NOT NULL,
    -- For people.
    text TEXT NOT NULL
) STRICT;

-- A list of ids that is being worked through; removed when it is done.
CREATE TABLE backfill_runs (
    -- SHA-256 of the app and of the ids in their order.
    list BLOB PRIMARY KEY CHECK (length(list) = 32),
    -- Ids from the front of the list that are settled.
    settled INTEGER NOT NULL,
    -- Of those, answered whole.
    done INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    appended INTEGER NOT NULL,
    duplicates INTEGER NOT NULL,
    conflicts INTEGER NOT NULL,
    -- Milliseconds since the Unix epoch.
    started_at INTEGER NOT NULL,
    touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Ids of a list that were not answered whole.
CREATE TABLE backfill_troubles (
    list BLOB NOT NULL,
    -- The place in the list, from 0.
    ordinal INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- NULL: Apple does not know the id.
    code TEXT,
    message TEXT NOT NULL,
    PRIMARY KEY (list, ordinal)
) STRICT, WITHOUT ROWID;

-- Where reading a customer's history stopped: Apple then returns only what is new since.
CREATE TABLE history_places (
    bundle_id TEXT NOT NULL,
    -- The id of the request.
    id TEXT NOT NULL,
    -- 'transactionHistory' or 'refundHistory'.
    endpoint TEXT NOT NULL,
    revision TEXT NOT NULL,
    -- The end of the log that held everything up to the place, and its leaf hash: another log may
    -- not hold it.
    position INTEGER NOT NULL,
    leaf_hash BLOB,
    PRIMARY KEY (bundle_id, id, endpoint)
) STRICT, WITHOUT ROWID;

-- Chains that were looked up because of their notices.
CREATE TABLE lookups (
    bundle_id TEXT NOT NULL,
    -- originalTransactionId.
    chain TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    -- How often in a row the same notices stayed open.
    times INTEGER NOT NULL,
    -- Codes of the notices that were open afterwards, in order, between spaces.
    notices TEXT NOT NULL,
    PRIMARY KEY (bundle_id, chain)
) STRICT, WITHOUT ROWID;
