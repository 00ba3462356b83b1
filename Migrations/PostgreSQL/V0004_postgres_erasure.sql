-- An erasure is an event, and leaves tombstones: rows without chain and notificationUUID, evidence
-- without bytes. Such a change is admitted in the transaction that appends the erasure, before the
-- head row counts it; every other change stays refused.
CREATE FUNCTION refuse_unless_erasing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_erasing boolean;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT 1 FROM %1$I.events WHERE kind = 10 AND position >'
            ' (SELECT position FROM %1$I.head))',
        TG_TABLE_SCHEMA) INTO is_erasing;
    IF is_erasing THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are immutable', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

DROP TRIGGER events_immutable ON events;
CREATE TRIGGER events_immutable BEFORE DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_erased_only BEFORE UPDATE ON events
    FOR EACH ROW WHEN (
        NEW.chain IS NOT NULL OR NEW.notification_uuid IS NOT NULL
        OR (NEW.position, NEW.key, NEW.kind, NEW.source, NEW.trust, NEW.bundle_id,
            NEW.notification_type, NEW.subtype, NEW.signed_at, NEW.received_at,
            NEW.received_at_claimed, NEW.identity, NEW.root_fingerprint, NEW.payload_hash,
            NEW.evidence_hash, NEW.leaf_hash)
        IS DISTINCT FROM
           (OLD.position, OLD.key, OLD.kind, OLD.source, OLD.trust, OLD.bundle_id,
            OLD.notification_type, OLD.subtype, OLD.signed_at, OLD.received_at,
            OLD.received_at_claimed, OLD.identity, OLD.root_fingerprint, OLD.payload_hash,
            OLD.evidence_hash, OLD.leaf_hash)
    ) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_erasing BEFORE UPDATE ON events
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_erasing();
DROP TRIGGER evidence_immutable ON evidence;
CREATE TRIGGER evidence_immutable BEFORE DELETE OR TRUNCATE ON evidence
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER evidence_erased_only BEFORE UPDATE ON evidence
    FOR EACH ROW WHEN (
        NEW.bytes IS NOT NULL
        OR (NEW.position, NEW.form) IS DISTINCT FROM (OLD.position, OLD.form)
    ) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER evidence_erasing BEFORE UPDATE ON evidence
    FOR EACH ROW EXECUTE FUNCTION refuse_unless_erasing();

-- Readers that derive data look for erasures without walking the log.
CREATE INDEX events_erasures ON events (position) WHERE kind = 10;

-- The planner's statistics would keep samples of these columns, which an erasure does not reach. No
-- plan depends on them.
ALTER TABLE events ALTER COLUMN chain SET STATISTICS 0;
ALTER TABLE events ALTER COLUMN notification_uuid SET STATISTICS 0;
ALTER TABLE evidence ALTER COLUMN bytes SET STATISTICS 0;
ALTER TABLE quarantine ALTER COLUMN bytes SET STATISTICS 0;
ALTER TABLE clock_readings ALTER COLUMN chain SET STATISTICS 0;
ALTER TABLE webhook_waiting ALTER COLUMN chain SET STATISTICS 0;
ALTER TABLE lookups ALTER COLUMN chain SET STATISTICS 0;
ALTER TABLE history_places ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE backfill_troubles ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE recovery_undelivered ALTER COLUMN notification_uuid SET STATISTICS 0;
ALTER TABLE recovery_undelivered ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE recovery_reports ALTER COLUMN json SET STATISTICS 0;
ALTER TABLE recovery_reports ALTER COLUMN text SET STATISTICS 0;
ALTER TABLE upload_keys ALTER COLUMN key SET STATISTICS 0;

-- For people with psql: codes spelled out, hashes in hexadecimal, times as UTC text.
CREATE OR REPLACE VIEW events_readable AS
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
