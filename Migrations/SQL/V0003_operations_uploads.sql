-- Uploads under an Idempotency-Key: what was sent, and what came of it, so that the same upload
-- again has the same answer. Losing this file loses no answer: the same upload is then a duplicate,
-- answered anew.
CREATE TABLE upload_keys (
    key TEXT PRIMARY KEY,
    -- SHA-256 of the body.
    request BLOB NOT NULL,
    -- Milliseconds since the Unix epoch.
    taken_at INTEGER NOT NULL,
    -- Of the first answer; NULL while there is none.
    result TEXT,
    event_position INTEGER,
    claim TEXT,
    -- The moment it is of, and the end of what it knows.
    at INTEGER,
    position INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX upload_keys_taken_at ON upload_keys (taken_at);
