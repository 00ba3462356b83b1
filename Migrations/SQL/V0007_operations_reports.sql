-- What recoveries came to, as it was told: whoever was killed before it was printed asks again. Losing
-- this file loses no answer but these.
CREATE TABLE recovery_reports (
    -- In the order in which they ended.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bundle_id TEXT NOT NULL,
    -- Milliseconds since the Unix epoch.
    ended_at INTEGER NOT NULL,
    -- 1: something could not be taken in.
    is_flawed INTEGER NOT NULL,
    -- One JSON object.
    json TEXT NOT NULL,
    -- For people.
    text TEXT NOT NULL
) STRICT;
