-- Completeness reads the deliveries of version 1 without walking the log.
CREATE INDEX events_version_one ON events (position) WHERE kind = 7 AND source = 1;
