-- The event log of one environment in PostgreSQL; tables and columns as in the embedded log.
-- Runs with its schema first in search_path. Digests and texts from payloads are bytea: text cannot
-- hold NUL, and leaves commit to every byte.

-- Which ledger this is, so that a node cannot join another one by mistake.
CREATE TABLE ledger (
    one smallint PRIMARY KEY CHECK (one = 1),
    id bytea NOT NULL CHECK (octet_length(id) = 16),
    environment text COLLATE "C" NOT NULL
);

-- Positions are 1…n, contiguous, in commit order.
CREATE TABLE events (
    position bigint PRIMARY KEY CHECK (position > 0),
    -- SHA-256 over kind and Apple's own ids; of a conflict: SHA-256(identity || payload_hash).
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    kind smallint NOT NULL,
    source smallint NOT NULL,
    trust smallint NOT NULL,
    bundle_id bytea NOT NULL,
    -- originalTransactionId, where the event belongs to one.
    chain bytea,
    notification_type bytea,
    subtype bytea,
    notification_uuid bytea,
    -- Milliseconds since the Unix epoch, as are all times here.
    signed_at bigint,
    received_at bigint NOT NULL,
    -- An import line stated received_at.
    received_at_claimed boolean NOT NULL,
    -- The key this event would have had without the conflict.
    identity bytea CHECK (octet_length(identity) = 32),
    -- An earlier event has this identity and other claims. For reporting only.
    conflict boolean NOT NULL GENERATED ALWAYS AS (identity IS NOT NULL) STORED,
    -- SHA-256 of the root certificate that anchors the signature.
    root_fingerprint bytea CHECK (octet_length(root_fingerprint) = 32),
    -- SHA-256 of the decoded payload; of a pair: of both payloads, then the status in decimal.
    payload_hash bytea NOT NULL CHECK (octet_length(payload_hash) = 32),
    -- SHA-256 of the evidence as it was received.
    evidence_hash bytea NOT NULL CHECK (octet_length(evidence_hash) = 32),
    -- RFC 6962 leaf hash over this row.
    leaf_hash bytea NOT NULL CHECK (octet_length(leaf_hash) = 32)
);

CREATE UNIQUE INDEX events_key ON events (key);
CREATE INDEX events_identity ON events (identity, position) WHERE identity IS NOT NULL;
CREATE INDEX events_sweeps ON events (position) WHERE kind = 9;

-- The signed bytes, apart from the rows: packed (form 1, 2) or verbatim (form 0). NULL is left by an
-- erasure; the tree stays provable because leaves commit to hashes.
CREATE TABLE evidence (
    position bigint PRIMARY KEY,
    form smallint NOT NULL,
    bytes bytea
);

-- JWS header segments (certificates, about 4.4 KB each), stored once and referenced by evidence.
CREATE TABLE headers (
    id bigint PRIMARY KEY,
    hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    bytes bytea NOT NULL
);

-- One row, locked and updated by every append: the sequence, the tree and the clock of the log. Most
-- of each page stays free, so that its new version fits beside it.
CREATE TABLE head (
    log smallint PRIMARY KEY CHECK (log = 1),
    position bigint NOT NULL CHECK (position >= 0),
    -- The compact range: hashes of the full subtrees, largest first, 32 bytes each.
    tree bytea NOT NULL CHECK (octet_length(tree) % 32 = 0),
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    -- The newest received_at that no import line claimed; NULL before the first.
    newest_received_at bigint
) WITH (fillfactor = 10);

-- The root of the empty tree is the SHA-256 of nothing (RFC 6962 section 2.1).
INSERT INTO head (log, position, tree, root, newest_received_at)
VALUES (1, 0, '', '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', NULL);

-- A second line of defence; correctness does not depend on triggers.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are immutable', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER ledger_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER evidence_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON evidence
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER headers_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON headers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER head_immutable BEFORE DELETE OR TRUNCATE ON head
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Bytes of a text as text; those that text cannot hold are escaped.
CREATE FUNCTION readable(value bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN position('\x00'::bytea IN value) = 0 THEN convert_from(value, 'UTF8')
        ELSE encode(value, 'escape') END
$$;

-- Milliseconds as UTC text; NULL outside the years 1 to 9999.
CREATE FUNCTION readable_time(milliseconds bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN milliseconds BETWEEN -62135596800000 AND 253402300799999 THEN
        to_char(
            timestamp '1970-01-01' + milliseconds / 1000 * interval '1 second'
                + milliseconds % 1000 * interval '1 millisecond',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END
$$;

-- For people with psql: codes spelled out, hashes in hexadecimal, times as UTC text.
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
        WHEN 5 THEN 'xcode'
    END AS trust,
    readable(bundle_id) AS bundle_id,
    readable(chain) AS chain,
    readable(notification_type) AS notification_type,
    readable(subtype) AS subtype,
    readable(notification_uuid) AS notification_uuid,
    readable_time(signed_at) AS signed_at,
    readable_time(received_at) AS received_at,
    received_at_claimed,
    conflict,
    encode(key, 'hex') AS key,
    encode(identity, 'hex') AS identity,
    encode(root_fingerprint, 'hex') AS root_fingerprint,
    encode(payload_hash, 'hex') AS payload_hash,
    encode(evidence_hash, 'hex') AS evidence_hash,
    encode(leaf_hash, 'hex') AS leaf_hash
FROM events;
