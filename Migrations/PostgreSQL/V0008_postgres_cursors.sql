-- Progress through Apple's histories states the log it was recorded with: with another one (a
-- restored backup) it starts again.
ALTER TABLE recoveries ADD COLUMN reached_leaf bytea;
-- The end of the log when the list was last touched.
ALTER TABLE backfill_runs
    ADD COLUMN position bigint NOT NULL DEFAULT 0,
    ADD COLUMN leaf_hash bytea;
