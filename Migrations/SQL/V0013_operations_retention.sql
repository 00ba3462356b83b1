-- Apple's requests for retention messages, and the answers.
CREATE TABLE retention_answers (
    -- Ascending; the oldest are dropped.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Apple's UUID of the request.
    request TEXT NOT NULL UNIQUE,
    bundle_id TEXT NOT NULL,
    chain TEXT NOT NULL,
    -- Milliseconds since the Unix epoch.
    at INTEGER NOT NULL,
    product TEXT,
    locale TEXT,
    outcome TEXT NOT NULL
        CHECK (outcome IN ('shown', 'noRule', 'unknownChain', 'unavailable', 'late')),
    -- NULL where no rule applied.
    rule TEXT,
    message TEXT,
    alternate_product TEXT
) STRICT;

CREATE INDEX retention_answers_at ON retention_answers (at, request);
CREATE INDEX retention_answers_chain ON retention_answers (bundle_id, chain);
