-- What could not be accepted, and why. Losing this file loses no answer.
CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- SHA-256 of the whole input: the same bytes again are one row with a count.
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    -- Milliseconds since the Unix epoch, first and latest delivery.
    received_at INTEGER NOT NULL,
    latest_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL CHECK (attempts > 0),
    -- 1 genuine, app configured; 2 genuine, app not configured; 3 not verifiable.
    standing INTEGER NOT NULL CHECK (standing IN (1, 2, 3)),
    code TEXT NOT NULL,
    part TEXT,
    message TEXT NOT NULL,
    bundle_id TEXT,
    environment TEXT,
    -- Where it came from: "file:line", an address, an API page.
    input TEXT NOT NULL,
    -- The input, cut to its bound when not verifiable; byte_count is the whole length.
    byte_count INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT;

CREATE INDEX quarantine_standing ON quarantine (standing, id);
CREATE INDEX quarantine_bundle ON quarantine (standing, bundle_id);

-- Counted while writing, so that keeping the bounds costs no scan.
CREATE TABLE quarantine_totals (
    standing INTEGER PRIMARY KEY,
    items INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

INSERT INTO quarantine_totals (standing, items, bytes) VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0);
