-- Pages of decisions read the newest ones without walking the log.
CREATE INDEX events_decisions ON events (position) WHERE kind = 8 AND source <> 3;
