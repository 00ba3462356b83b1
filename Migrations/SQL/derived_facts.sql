-- The decoded log, clustered by chain and time. Disposable: another decoder version is another
-- file. Rows depend on the log alone.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far the log is contained here, the leaf hash there, and the log's tree as it stood then (how
-- many events, and the roots of its full subtrees): what does not fit the log belongs to another.
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
    -- Which of the statements of one event: a receipt speaks of many transactions.
    part INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (chain, app, signed_at, position, part)
) STRICT, WITHOUT ROWID;
