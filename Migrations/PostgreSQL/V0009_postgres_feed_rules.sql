-- SHA-256 of the reducer version and the catalogue by which the feed's clock emitted; NULL before.
ALTER TABLE feed_clock ADD COLUMN rules bytea;
