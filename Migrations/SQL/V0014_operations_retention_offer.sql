-- The promotional offer whose signature the answer had. NULL where there was none, and in answers
-- of earlier releases.
ALTER TABLE retention_answers ADD COLUMN promotional_offer TEXT;

-- How often a person was erased from operational state. A writer of what may name one reads it,
-- then looks for erasures in the log, and writes only while it is the same.
CREATE TABLE erasure_count (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL
) STRICT;
INSERT INTO erasure_count (id, number) VALUES (1, 0);
