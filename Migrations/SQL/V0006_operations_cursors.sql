-- A log that was put back may have grown past a cursor by the time anybody looks: only what stands
-- at the cursor's position tells that it is another log.

-- The leaf hash of the event at the cursor's position; NULL at position 0, and for cursors that were
-- kept before this.
ALTER TABLE webhook_endpoints ADD COLUMN leaf_hash BLOB;
