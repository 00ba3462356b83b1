-- An event that speaks of several chains changes each of them at one place: what waits is known by
-- its chain, too. SQLite cannot change a key: the table is made again.
CREATE TABLE webhook_waiting_new (
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
    PRIMARY KEY (endpoint, position, clock, ordinal, place, bundle_id, chain)
) STRICT, WITHOUT ROWID;

INSERT INTO webhook_waiting_new SELECT * FROM webhook_waiting;
DROP TABLE webhook_waiting;
ALTER TABLE webhook_waiting_new RENAME TO webhook_waiting;
