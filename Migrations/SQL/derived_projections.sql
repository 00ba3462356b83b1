-- What every chain's life looks like, folded from its facts. Disposable: every build gets its own
-- file. No row depends on the clock; the views read the clock.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    leaf_hash BLOB
) STRICT;

INSERT INTO checkpoint (id, position, leaf_hash) VALUES (1, 0, NULL);

-- One row per chain: what is known last, whenever "now" is. A customer with events of their own
-- (grants, notes) has a row, too: without a bundle id, under the customer's id.
CREATE TABLE subscriptions (
    id INTEGER PRIMARY KEY,
    bundle_id TEXT NOT NULL,
    original_transaction_id TEXT NOT NULL,
    -- 'subscription' or 'oneTime'; NULL while no period or purchase is known.
    kind TEXT,
    started_at INTEGER,
    product_id TEXT,
    transaction_id TEXT,
    subscription_group TEXT,
    phase TEXT,
    ownership TEXT,
    app_account_token TEXT,
    price_milliunits INTEGER,
    currency TEXT,
    storefront TEXT,
    will_renew INTEGER,
    next_product_id TEXT,
    facts INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    UNIQUE (original_transaction_id, bundle_id)
) STRICT;

-- Up to when everything Apple sent of an app is certainly here, from the event at `position` on:
-- signed in [complete_from, complete_through). The newest row of an app holds; no row: never swept.
CREATE TABLE completeness (
    position INTEGER PRIMARY KEY,
    bundle_id TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    complete_from INTEGER NOT NULL,
    complete_through INTEGER NOT NULL
) STRICT;

-- Half-open [from_at, to_at) in milliseconds since the Unix epoch; to_at NULL: open. cause is the
-- position of the event that proves that it began.
CREATE TABLE intervals (
    subscription INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER,
    product_id TEXT,
    transaction_id TEXT NOT NULL,
    reason TEXT,
    cause INTEGER NOT NULL,
    PRIMARY KEY (subscription, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE life_facts (
    subscription INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    fact TEXT NOT NULL,
    product_id TEXT,
    transaction_id TEXT,
    cause INTEGER NOT NULL,
    PRIMARY KEY (subscription, seq)
) STRICT, WITHOUT ROWID;

-- A notice holds in [from_at, to_at); evidence is a JSON array of positions.
CREATE TABLE notices (
    subscription INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER,
    evidence TEXT NOT NULL,
    PRIMARY KEY (subscription, seq)
) STRICT, WITHOUT ROWID;

-- Finds the chain of any transactionId. One id under two chains is a contradiction.
CREATE TABLE transactions (
    transaction_id TEXT NOT NULL,
    subscription INTEGER NOT NULL,
    -- Position of the first event that stated it there.
    first_position INTEGER NOT NULL,
    PRIMARY KEY (transaction_id, subscription)
) STRICT, WITHOUT ROWID;

-- Everybody whom a fact of a chain ever named as its holder: by appAccountToken, link or claim. A
-- customer's own row (grants) stands under the entry of subscriptions without a bundle id.
CREATE TABLE holdings (
    customer TEXT NOT NULL,
    subscription INTEGER NOT NULL,
    -- 1: holds it from some time on without end, as far as is known.
    holds INTEGER NOT NULL,
    -- What verdicts at the present need, packed: the last stretches held, in short.
    body BLOB NOT NULL,
    PRIMARY KEY (customer, subscription)
) STRICT, WITHOUT ROWID;

-- A change of state: an interval that is its chain's first, or whose state is not that of the one
-- before.
CREATE VIEW transitions AS
SELECT
    i.subscription, i.seq, i.from_at AS at, b.state AS from_state, i.state AS to_state, i.reason,
    i.product_id, i.transaction_id, i.cause
FROM intervals AS i
LEFT JOIN intervals AS b ON b.subscription = i.subscription AND b.seq = i.seq - 1
WHERE b.state IS NOT i.state;

-- For people with sqlite3. Names carry no version; times are UTC text.

-- Every chain with its state at this moment.
CREATE VIEW current_subscriptions AS
SELECT
    s.bundle_id, s.original_transaction_id, i.state,
    i.state IN ('subscribed', 'renewing', 'grace', 'owned') AS entitled,
    coalesce(i.product_id, s.product_id) AS product_id, i.transaction_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', i.from_at / 1000.0, 'unixepoch') AS interval_from,
    strftime('%Y-%m-%dT%H:%M:%fZ', i.to_at / 1000.0, 'unixepoch') AS interval_to,
    s.will_renew, s.next_product_id, s.phase, s.ownership, s.app_account_token,
    s.price_milliunits, s.currency, s.storefront, s.last_position
FROM subscriptions AS s
JOIN intervals AS i ON i.subscription = s.id
WHERE i.from_at <= cast((julianday('now') - 2440587.5) * 86400000 AS integer)
    AND (i.to_at IS NULL
        OR i.to_at > cast((julianday('now') - 2440587.5) * 86400000 AS integer));

-- Every stretch of state of every chain.
CREATE VIEW subscription_history AS
SELECT
    s.bundle_id, s.original_transaction_id, i.state,
    strftime('%Y-%m-%dT%H:%M:%fZ', i.from_at / 1000.0, 'unixepoch') AS state_from,
    strftime('%Y-%m-%dT%H:%M:%fZ', i.to_at / 1000.0, 'unixepoch') AS state_to,
    i.product_id, i.transaction_id, i.reason, i.from_at, i.to_at
FROM intervals AS i
JOIN subscriptions AS s ON s.id = i.subscription
ORDER BY s.original_transaction_id, s.bundle_id, i.seq;

-- Every change of state up to this moment, with the event that proves it.
CREATE VIEW state_transitions AS
SELECT
    s.bundle_id, s.original_transaction_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', t.at / 1000.0, 'unixepoch') AS at_time,
    t.from_state, t.to_state, t.reason, t.product_id, t.transaction_id, t.cause, t.at
FROM transitions AS t
JOIN subscriptions AS s ON s.id = t.subscription
WHERE t.at <= cast((julianday('now') - 2440587.5) * 86400000 AS integer)
ORDER BY t.at, s.original_transaction_id, s.bundle_id, t.seq;

-- What matters without changing a state, up to this moment.
CREATE VIEW subscription_facts AS
SELECT
    s.bundle_id, s.original_transaction_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', f.at / 1000.0, 'unixepoch') AS at_time,
    f.fact, f.product_id, f.transaction_id, f.cause, f.at
FROM life_facts AS f
JOIN subscriptions AS s ON s.id = f.subscription
WHERE f.at <= cast((julianday('now') - 2440587.5) * 86400000 AS integer) AND s.bundle_id <> ''
ORDER BY f.at, s.original_transaction_id, s.bundle_id, f.seq;

-- What looks wrong at this moment.
CREATE VIEW current_notices AS
SELECT
    s.bundle_id, s.original_transaction_id, n.code, n.message, n.evidence,
    strftime('%Y-%m-%dT%H:%M:%fZ', n.from_at / 1000.0, 'unixepoch') AS since
FROM notices AS n
JOIN subscriptions AS s ON s.id = n.subscription
WHERE n.from_at <= cast((julianday('now') - 2440587.5) * 86400000 AS integer)
    AND (n.to_at IS NULL
        OR n.to_at > cast((julianday('now') - 2440587.5) * 86400000 AS integer));

-- Which customer holds which chain, and its state at this moment.
CREATE VIEW customer_subscriptions AS
SELECT
    h.customer, s.bundle_id, s.original_transaction_id, i.state,
    i.state IN ('subscribed', 'renewing', 'grace', 'owned') AS entitled,
    coalesce(i.product_id, s.product_id) AS product_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', i.from_at / 1000.0, 'unixepoch') AS interval_from,
    strftime('%Y-%m-%dT%H:%M:%fZ', i.to_at / 1000.0, 'unixepoch') AS interval_to
FROM holdings AS h
JOIN subscriptions AS s ON s.id = h.subscription
JOIN intervals AS i ON i.subscription = s.id
WHERE h.holds = 1
    AND i.from_at <= cast((julianday('now') - 2440587.5) * 86400000 AS integer)
    AND (i.to_at IS NULL
        OR i.to_at > cast((julianday('now') - 2440587.5) * 86400000 AS integer));
