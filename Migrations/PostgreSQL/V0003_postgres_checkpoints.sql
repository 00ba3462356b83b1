-- What the log was committed to: every signed checkpoint, for ever.
CREATE TABLE checkpoints (
    size bigint PRIMARY KEY,
    note bytea NOT NULL,
    signed_at bigint NOT NULL
);
