-- What the log was committed to (C2SP tlog-checkpoint): every signed checkpoint, for ever.
CREATE TABLE checkpoints (
    -- The head position that was signed.
    size INTEGER PRIMARY KEY,
    -- The signed note, with the signatures of witnesses.
    note TEXT NOT NULL,
    signed_at INTEGER NOT NULL
) STRICT;
