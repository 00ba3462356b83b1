-- Where a recovery stands. Losing this file loses no answer: the recovery then begins anew, and
-- finds again what it had found.

-- One row per window and filter that was asked for.
CREATE TABLE recoveries (
    -- SHA-256 over app, window and filter, in hexadecimal.
    id TEXT PRIMARY KEY,
    -- Milliseconds since the Unix epoch.
    asked_at INTEGER NOT NULL,
    -- The end of the log before it.
    start_position INTEGER NOT NULL,
    -- How far the log had come when a page was last taken in: a log that is shorter is another one.
    reached_position INTEGER NOT NULL,
    -- The least that Apple's clock said; NULL: it was not asked yet.
    apple_asked_at INTEGER,
    -- 1: whatever could not be taken in keeps it from confirming anything.
    is_flawed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Pieces of the window, walked page by page, several at once.
CREATE TABLE recovery_slices (
    recovery TEXT NOT NULL,
    -- Which question: those asked first come first.
    pass INTEGER NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    -- Names the next page at Apple's; NULL: the first.
    place TEXT,
    fetched INTEGER NOT NULL DEFAULT 0,
    is_done INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (recovery, pass, from_at)
) STRICT, WITHOUT ROWID;

-- What Apple could not deliver, as its history says.
CREATE TABLE recovery_undelivered (
    recovery TEXT NOT NULL,
    notification_uuid TEXT NOT NULL,
    -- One JSON object.
    body TEXT NOT NULL,
    PRIMARY KEY (recovery, notification_uuid)
) STRICT, WITHOUT ROWID;
