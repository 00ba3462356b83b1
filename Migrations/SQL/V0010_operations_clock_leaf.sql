-- Which log the feed's clock belongs to: the leaf hash of the event at each kept position. NULL at
-- position 0, and where a release before this one wrote.
ALTER TABLE feed_clock ADD COLUMN leaf_hash BLOB;
ALTER TABLE clock_readings ADD COLUMN leaf_hash BLOB;
