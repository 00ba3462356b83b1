-- The promotional offer whose signature the answer had. NULL where there was none, and in answers
-- of earlier releases.
ALTER TABLE retention_answers ADD COLUMN promotional_offer bytea;

-- How often a person was erased from operational state. A writer of what may name one reads it,
-- then looks for erasures in the log, and writes only while it is the same.
CREATE TABLE erasure_count (
    id bigint PRIMARY KEY CHECK (id = 1),
    number bigint NOT NULL
);
INSERT INTO erasure_count (id, number) VALUES (1, 0);
