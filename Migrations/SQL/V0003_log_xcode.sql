-- Trust has a fifth rank: what Xcode, or a local test, signed with a certificate of its own. It stands
-- in the logs of those environments only; the view spells it out.
DROP VIEW events_readable;

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
