-- Progress through Apple's histories states the log it was recorded with: with another one (a
-- restored backup) it starts again.
ALTER TABLE recoveries ADD COLUMN reached_leaf BLOB CHECK (length(reached_leaf) = 32);
-- The end of the log when the list was last touched.
ALTER TABLE backfill_runs ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE backfill_runs ADD COLUMN leaf_hash BLOB CHECK (length(leaf_hash) = 32);
