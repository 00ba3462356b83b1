-- Version 1 notifications of apps whose shared secret is missing have bounds of their own.
-- SQLite cannot change a CHECK: the table is made again, ids and all.
CREATE TABLE quarantine_new (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
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
    input TEXT NOT NULL,
    byte_count INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT;

INSERT INTO quarantine_new SELECT * FROM quarantine;
-- No id is used twice, removed ones included.
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'quarantine')
    WHERE name = 'quarantine_new' AND EXISTS (
        SELECT 1 FROM sqlite_sequence WHERE name = 'quarantine');
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'quarantine_new', seq FROM sqlite_sequence WHERE name = 'quarantine'
        AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'quarantine_new');
DROP TABLE quarantine;
ALTER TABLE quarantine_new RENAME TO quarantine;
CREATE INDEX quarantine_standing ON quarantine (standing, id);
CREATE INDEX quarantine_bundle ON quarantine (standing, bundle_id);

INSERT INTO quarantine_totals (standing, items, bytes) VALUES (4, 0, 0);
