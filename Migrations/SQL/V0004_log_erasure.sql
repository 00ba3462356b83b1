-- An erasure is an event, and leaves tombstones: rows without chain and notificationUUID, evidence
-- without bytes. Such a change is admitted in the transaction that appends the erasure, before the
-- head row counts it; every other change stays refused.
DROP TRIGGER events_no_update;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
WHEN NOT (
    EXISTS (
        SELECT 1 FROM events
        WHERE kind = 10 AND position > (SELECT position FROM head)
    )
    AND NEW.chain IS NULL AND NEW.notification_uuid IS NULL
    AND NEW.position IS OLD.position AND NEW.key IS OLD.key AND NEW.kind IS OLD.kind
    AND NEW.source IS OLD.source AND NEW.trust IS OLD.trust AND NEW.bundle_id IS OLD.bundle_id
    AND NEW.notification_type IS OLD.notification_type AND NEW.subtype IS OLD.subtype
    AND NEW.signed_at IS OLD.signed_at AND NEW.received_at IS OLD.received_at
    AND NEW.received_at_claimed IS OLD.received_at_claimed AND NEW.conflict IS OLD.conflict
    AND NEW.identity IS OLD.identity AND NEW.root_fingerprint IS OLD.root_fingerprint
    AND NEW.payload_hash IS OLD.payload_hash AND NEW.evidence_hash IS OLD.evidence_hash
    AND NEW.leaf_hash IS OLD.leaf_hash
)
BEGIN SELECT RAISE(ABORT, 'events are immutable'); END;
DROP TRIGGER evidence_no_update;
CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence
WHEN NOT (
    EXISTS (
        SELECT 1 FROM events
        WHERE kind = 10 AND position > (SELECT position FROM head)
    )
    AND NEW.bytes IS NULL AND NEW.position IS OLD.position AND NEW.form IS OLD.form
)
BEGIN SELECT RAISE(ABORT, 'evidence is immutable'); END;

-- Readers that derive data look for erasures without walking the log.
CREATE INDEX events_erasures ON events (position) WHERE kind = 10;

DROP VIEW events_readable;

-- For people with sqlite3: codes spelled out, hashes in hexadecimal, times as UTC text.
CREATE VIEW events_readable AS
SELECT
    position,
    CASE kind
        WHEN 1 THEN 'notification' WHEN 2 THEN 'transaction' WHEN 3 THEN 'renewalPair'
        WHEN 4 THEN 'appTransaction' WHEN 5 THEN 'receipt' WHEN 6 THEN 'verifyReceipt'
        WHEN 7 THEN 'notificationV1' WHEN 8 THEN 'command' WHEN 9 THEN 'sweep'
        WHEN 10 THEN 'erasure'
    END AS kind,
    CASE source
        WHEN 1 THEN 'webhook' WHEN 2 THEN 'history' WHEN 3 THEN 'client'
        WHEN 4 THEN 'import' WHEN 5 THEN 'operator'
    END AS source,
    CASE trust
        WHEN 1 THEN 'signed' WHEN 2 THEN 'transport' WHEN 3 THEN 'secret' WHEN 4 THEN 'operator'
        WHEN 5 THEN 'xcode'
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
