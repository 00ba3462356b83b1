-- The event log of one environment. Positions are 1…n, contiguous, in commit order.

-- Small rows, so that scanning events is cheap. Codes of kind, source and trust are spelled out by
-- the view events_readable below.
CREATE TABLE events (
    position INTEGER PRIMARY KEY CHECK (position > 0),
    -- SHA-256 over kind and Apple's own ids; of a conflict: SHA-256(identity || payload_hash).
    key BLOB NOT NULL CHECK (length(key) = 32),
    kind INTEGER NOT NULL,
    source INTEGER NOT NULL,
    trust INTEGER NOT NULL,
    bundle_id TEXT NOT NULL,
    -- originalTransactionId, where the event belongs to one.
    chain TEXT,
    notification_type TEXT,
    subtype TEXT,
    notification_uuid TEXT,
    -- Milliseconds since the Unix epoch, as are all times here.
    signed_at INTEGER,
    received_at INTEGER NOT NULL,
    -- 1: an import line stated received_at.
    received_at_claimed INTEGER NOT NULL CHECK (received_at_claimed IN (0, 1)),
    -- 1: an earlier event has this identity and other claims. For reporting only.
    conflict INTEGER NOT NULL CHECK (conflict IN (0, 1)),
    -- The key this event would have had without the conflict.
    identity BLOB CHECK ((identity IS NULL) = (conflict = 0)),
    -- SHA-256 of the root certificate that vouched for the signature.
    root_fingerprint BLOB,
    -- SHA-256 of the decoded payload; of a pair: of both payloads, then the status in decimal.
    payload_hash BLOB NOT NULL CHECK (length(payload_hash) = 32),
    -- SHA-256 of the evidence as it was received.
    evidence_hash BLOB NOT NULL CHECK (length(evidence_hash) = 32),
    -- RFC 6962 leaf hash over this row.
    leaf_hash BLOB NOT NULL CHECK (length(leaf_hash) = 32)
) STRICT;

CREATE UNIQUE INDEX events_key ON events (key);
CREATE INDEX events_identity ON events (identity) WHERE identity IS NOT NULL;

-- The signed bytes, apart from the rows: packed (form 1, 2) or verbatim (form 0). NULL is what an
-- erasure leaves behind; the tree stays provable because leaves commit to hashes.
CREATE TABLE evidence (
    position INTEGER PRIMARY KEY,
    form INTEGER NOT NULL,
    bytes BLOB
) STRICT;

-- JWS header segments (certificates, about 4.4 KB each), stored once and referenced by evidence.
CREATE TABLE headers (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    bytes BLOB NOT NULL
) STRICT;

-- One row, read and moved by every append: the sequence, the tree and the clock of the log.
CREATE TABLE head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL CHECK (position >= 0),
    -- The compact range: hashes of the full subtrees, largest first, 32 bytes each.
    tree BLOB NOT NULL CHECK (length(tree) % 32 = 0),
    root BLOB NOT NULL CHECK (length(root) = 32),
    -- The newest received_at that no import line claimed; NULL before the first.
    newest_received_at INTEGER
) STRICT;

-- The root of the empty tree is the SHA-256 of nothing (RFC 6962 section 2.1).
INSERT INTO head (id, position, tree, root, newest_received_at)
VALUES (1, 0, x'', x'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', NULL);

-- A second line of defence; correctness does not rest on triggers.
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are immutable'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are immutable'); END;
CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence is immutable'); END;
CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence is immutable'); END;
CREATE TRIGGER headers_no_update BEFORE UPDATE ON headers
BEGIN SELECT RAISE(ABORT, 'headers are immutable'); END;
CREATE TRIGGER headers_no_delete BEFORE DELETE ON headers
BEGIN SELECT RAISE(ABORT, 'headers are immutable'); END;
CREATE TRIGGER head_no_delete BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'the head row is the log'); END;

-- For people with sqlite3: codes spelled out, hashes in hexadecimal, times as UTC text.
CREATE VIEW events_readable AS
SELECT
    position,
    CASE kind
        WHEN 1 THEN 'notification' WHEN 2 THEN 'transaction' WHEN 3 THEN 'renewalPair'
        WHEN 4 THEN 'appTransaction' WHEN 5 THEN 'receipt' WHEN 6 THEN 'verifyReceipt'
        WHEN 7 THEN 'notificationV1' WHEN 8 THEN 'command' WHEN 9 THEN 'sweep'
    END AS kind,
    CASE source
        WHEN 1 THEN 'webhook' WHEN 2 THEN 'history' WHEN 3 THEN 'client'
        WHEN 4 THEN 'import' WHEN 5 THEN 'operator'
    END AS source,
    CASE trust
        WHEN 1 THEN 'signed' WHEN 2 THEN 'transport' WHEN 3 THEN 'secret' WHEN 4 THEN 'operator'
    END AS trust,
    bundle_id,
    chain,
    notification_type,
    subtype,
    notification_uuid,
    strftime('%Y-%m-%dT%H:%M:%fZ', signed_at / 1000.0, 'unixepoch') AS signed_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0, 'unixepoch') AS received_at,
    received_at_claimed,
    conflict,
    lower(hex(key)) AS key,
    lower(hex(identity)) AS identity,
    lower(hex(root_fingerprint)) AS root_fingerprint,
    lower(hex(payload_hash)) AS payload_hash,
    lower(hex(evidence_hash)) AS evidence_hash,
    lower(hex(leaf_hash)) AS leaf_hash
FROM events;
