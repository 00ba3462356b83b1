-- What Apple was asked about: how far lists of ids were worked through, where histories were left,
-- and which chains were looked up. Losing this file loses no answer: lists begin anew, and
-- histories are fetched whole.

-- A list that is being worked through; gone when it is done.
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
    -- NULL: Apple knows nothing of the id.
    code TEXT,
    message TEXT NOT NULL,
    PRIMARY KEY (list, ordinal)
) STRICT, WITHOUT ROWID;

-- Where a customer's history was left: Apple then tells only what came or changed since.
CREATE TABLE history_places (
    bundle_id TEXT NOT NULL,
    -- The id that was asked about.
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
