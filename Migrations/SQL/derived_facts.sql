-- The decoded log, clustered by chain and time. Disposable: another decoder version is another
-- file. Rows depend on the log alone.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The projection cursor: the position, its leaf hash, and the log's tree there (number of events and
-- roots of the full subtrees). A cursor that does not fit the log belongs to another log.
CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    leaf_hash BLOB,
    tree_size INTEGER,
    tree BLOB
) STRICT;

INSERT INTO checkpoint (id, position) VALUES (1, 0);

CREATE TABLE apps (
    id INTEGER PRIMARY KEY,
    bundle_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE facts (
    -- originalTransactionId.
    chain TEXT NOT NULL,
    app INTEGER NOT NULL,
    -- Milliseconds since the Unix epoch; the smallest integer for a fact without a date.
    signed_at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    -- The number of the fact within its event: a receipt has many transactions.
    part INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (chain, app, signed_at, position, part)
) STRICT, WITHOUT ROWID;
