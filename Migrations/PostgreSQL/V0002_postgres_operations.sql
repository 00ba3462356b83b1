-- Operational state of one environment: no answer depends on it. Times are milliseconds since the
-- Unix epoch; texts are bytea, as in the log.

-- One row per area, locked by every write of that area, so that writes are serialised. last_id counts
-- the ids given in it: none is used twice.
CREATE TABLE areas (
    name text COLLATE "C" PRIMARY KEY,
    last_id bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

INSERT INTO areas (name)
VALUES ('quarantine'), ('recovery'), ('uploads'), ('requests'), ('feeds'), ('webhooks');

-- Who does what only one node may do. The token counts up with every holder, and every write of the
-- holder is made under it.
CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY,
    holder text COLLATE "C" NOT NULL,
    token bigint NOT NULL,
    until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Every node, written by itself every few seconds; for people.
CREATE TABLE nodes (
    id text COLLATE "C" PRIMARY KEY,
    -- Host and process.
    name text COLLATE "C" NOT NULL,
    -- How far its answers go.
    position bigint NOT NULL,
    seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE quarantine (
    id bigint PRIMARY KEY,
    -- SHA-256 of the whole input: the same bytes again are one row with a count.
    digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
    -- First and latest delivery.
    received_at bigint NOT NULL,
    latest_at bigint NOT NULL,
    attempts bigint NOT NULL CHECK (attempts > 0),
    -- 1 genuine, app configured; 2 genuine, app not configured; 3 not verifiable;
    -- 4 version 1 of a configured app without its secret.
    standing bigint NOT NULL CHECK (standing BETWEEN 1 AND 4),
    code bytea NOT NULL,
    part bytea,
    message bytea NOT NULL,
    bundle_id bytea,
    environment bytea,
    -- Where it came from: "file:line", an address, an API page.
    input bytea NOT NULL,
    -- The input, cut to its bound when not verifiable; byte_count is the whole length.
    byte_count bigint NOT NULL,
    bytes bytea NOT NULL
);

CREATE INDEX quarantine_standing ON quarantine (standing, id);
CREATE INDEX quarantine_bundle ON quarantine (standing, bundle_id);

-- Counted while writing, so that keeping the bounds costs no scan.
CREATE TABLE quarantine_totals (
    standing bigint PRIMARY KEY,
    items bigint NOT NULL,
    bytes bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO quarantine_totals (standing, items, bytes)
VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0);

-- One row per window and filter of a recovery.
CREATE TABLE recoveries (
    -- SHA-256 over app, window and filter, in hexadecimal.
    id bytea PRIMARY KEY,
    asked_at bigint NOT NULL,
    -- The end of the log before it.
    start_position bigint NOT NULL,
    -- The end of the log when a page was last recorded: a log that is shorter is another one.
    reached_position bigint NOT NULL,
    -- The least time of Apple's clock; NULL before the first answer.
    apple_asked_at bigint,
    is_flawed boolean NOT NULL DEFAULT false
);

CREATE TABLE recovery_slices (
    recovery bytea NOT NULL,
    pass bigint NOT NULL,
    from_at bigint NOT NULL,
    to_at bigint NOT NULL,
    -- Names Apple's next page; NULL: the first.
    place bytea,
    fetched bigint NOT NULL DEFAULT 0,
    is_done boolean NOT NULL DEFAULT false,
    PRIMARY KEY (recovery, pass, from_at)
);

CREATE TABLE recovery_undelivered (
    recovery bytea NOT NULL,
    notification_uuid bytea NOT NULL,
    -- One JSON object.
    body bytea NOT NULL,
    PRIMARY KEY (recovery, notification_uuid)
);

CREATE TABLE recovery_reports (
    -- In the order in which they ended.
    id bigint PRIMARY KEY,
    bundle_id bytea NOT NULL,
    ended_at bigint NOT NULL,
    is_flawed boolean NOT NULL,
    json bytea NOT NULL,
    text bytea NOT NULL
);

CREATE TABLE upload_keys (
    key bytea PRIMARY KEY,
    -- SHA-256 of the body.
    request bytea NOT NULL,
    taken_at bigint NOT NULL,
    -- Of the first answer; NULL while there is none.
    result bytea,
    event_position bigint,
    claim bytea,
    at bigint,
    position bigint
);

CREATE INDEX upload_keys_taken_at ON upload_keys (taken_at, key);

CREATE TABLE backfill_runs (
    -- SHA-256 of the app and of the ids in their order.
    list bytea PRIMARY KEY,
    settled bigint NOT NULL,
    done bigint NOT NULL,
    requests bigint NOT NULL,
    appended bigint NOT NULL,
    duplicates bigint NOT NULL,
    conflicts bigint NOT NULL,
    started_at bigint NOT NULL,
    touched_at bigint NOT NULL
);

CREATE TABLE backfill_troubles (
    list bytea NOT NULL,
    ordinal bigint NOT NULL,
    id bytea NOT NULL,
    code bytea,
    message bytea NOT NULL,
    PRIMARY KEY (list, ordinal)
);

CREATE TABLE history_places (
    bundle_id bytea NOT NULL,
    id bytea NOT NULL,
    endpoint bytea NOT NULL,
    revision bytea NOT NULL,
    position bigint NOT NULL,
    leaf_hash bytea,
    PRIMARY KEY (bundle_id, id, endpoint)
);

CREATE TABLE lookups (
    bundle_id bytea NOT NULL,
    chain bytea NOT NULL,
    asked_at bigint NOT NULL,
    times bigint NOT NULL,
    -- Codes in order, between spaces.
    notices bytea NOT NULL,
    PRIMARY KEY (bundle_id, chain)
);

CREATE TABLE feed_clock (
    id smallint PRIMARY KEY CHECK (id = 1),
    position bigint NOT NULL,
    at bigint NOT NULL,
    leaf_hash bytea
);

CREATE TABLE clock_readings (
    position bigint NOT NULL,
    at bigint NOT NULL,
    ordinal bigint NOT NULL,
    bundle_id bytea NOT NULL,
    chain bytea NOT NULL,
    leaf_hash bytea,
    PRIMARY KEY (position, at, ordinal)
);

CREATE INDEX clock_readings_chain ON clock_readings (chain, bundle_id);

CREATE TABLE webhook_endpoints (
    name bytea PRIMARY KEY,
    position bigint NOT NULL,
    clock bigint NOT NULL,
    ordinal bigint NOT NULL,
    place bigint NOT NULL,
    leaf_hash bytea,
    disabled_at bigint,
    last_attempt_at bigint,
    last_success_at bigint,
    last_outcome bytea
);

CREATE TABLE webhook_waiting (
    endpoint bytea NOT NULL,
    position bigint NOT NULL,
    clock bigint NOT NULL,
    ordinal bigint NOT NULL,
    place bigint NOT NULL,
    bundle_id bytea NOT NULL,
    chain bytea NOT NULL,
    attempts bigint NOT NULL,
    first_at bigint NOT NULL,
    next_at bigint NOT NULL,
    outcome bytea,
    parked_at bigint,
    PRIMARY KEY (endpoint, position, clock, ordinal, place, bundle_id, chain)
);
