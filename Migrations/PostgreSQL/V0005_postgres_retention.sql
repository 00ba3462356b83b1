-- Apple's requests for retention messages, and the answers.
CREATE TABLE retention_answers (
    -- Ascending; the oldest are dropped.
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Apple's UUID of the request.
    request bytea NOT NULL UNIQUE,
    bundle_id bytea NOT NULL,
    chain bytea NOT NULL,
    -- Milliseconds since the Unix epoch.
    at bigint NOT NULL,
    product bytea,
    locale bytea,
    outcome bytea NOT NULL,
    -- NULL where no rule applied.
    rule bytea,
    message bytea,
    alternate_product bytea
);

CREATE INDEX retention_answers_at ON retention_answers (at, request);
CREATE INDEX retention_answers_chain ON retention_answers (bundle_id, chain);

-- The planner's statistics would keep samples, which an erasure does not reach.
ALTER TABLE retention_answers ALTER COLUMN chain SET STATISTICS 0;
ALTER TABLE retention_answers ALTER COLUMN request SET STATISTICS 0;
