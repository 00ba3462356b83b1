-- The lifecycle of every chain, folded from its facts. Disposable: every build gets its own file. No
-- row depends on the clock; the views read the clock.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The projection cursor: the position, its leaf hash, and the log's tree there (number of events and
-- roots of the full subtrees). A cursor that does not fit the log belongs to another log.
CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    leaf_hash BLOB,
    tree_size INTEGER,
    tree BLOB
) STRICT;

INSERT INTO checkpoint (id, position) VALUES (1, 0);

-- One row per chain: its last known values, independent of the present. A customer with events of
-- their own (grants, notes) has a row, too: without a bundle id, under the customer's id.
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
    -- 1: some evidence of the chain has the trust that access requires (entitlement.minimumTrust).
    meets_minimum_trust INTEGER NOT NULL,
    facts INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    UNIQUE (original_transaction_id, bundle_id)
) STRICT;

-- The span of signedDate, [complete_from, complete_through), in which the log is known to hold all
-- notifications of an app, from the event at `position` on; NULL: of no time. version_one_at: the last
-- delivery of version 1 before the next row, of which time nothing is confirmed. The newest row of an
-- app applies; an app without a row was never swept.
CREATE TABLE completeness (
    position INTEGER PRIMARY KEY,
    bundle_id TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    complete_from INTEGER,
    complete_through INTEGER,
    version_one_at INTEGER
) STRICT;

-- Half-open [from_at, to_at) in milliseconds since the Unix epoch; to_at NULL: open. cause is the
-- position of the event that proves its beginning.
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

-- A notice applies in [from_at, to_at); evidence is a JSON array of positions.
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

-- Finds the chain of any webOrderLineItemId.
CREATE TABLE order_lines (
    web_order_line_item_id TEXT NOT NULL,
    subscription INTEGER NOT NULL,
    -- Position of the first event that stated it there.
    first_position INTEGER NOT NULL,
    PRIMARY KEY (web_order_line_item_id, subscription)
) STRICT, WITHOUT ROWID;

-- Every customer that a fact of a chain named as its holder, by appAccountToken, link or claim. A
-- customer's own row (grants) refers to the row of subscriptions without a bundle id.
CREATE TABLE holdings (
    customer TEXT NOT NULL,
    subscription INTEGER NOT NULL,
    -- 1: holds it now, without a known end.
    holds INTEGER NOT NULL,
    -- The latest holding periods, packed: entitlements at the present need no more.
    body BLOB NOT NULL,
    PRIMARY KEY (customer, subscription)
) STRICT, WITHOUT ROWID;

-- The changes of class of each chain, packed: its contribution to every roll-forward. No row depends
-- on the clock: future changes are included like past ones. signed_at: newest signedDate;
-- received_at: latest arrival; first_…: the chain's first event and the earliest arrival.
CREATE TABLE contributions (
    subscription INTEGER PRIMARY KEY,
    last_position INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    first_position INTEGER NOT NULL,
    first_received_at INTEGER NOT NULL,
    signed_at INTEGER,
    body BLOB NOT NULL
) STRICT;

-- The class in which a chain is counted while it is entitled. id: the first eight bytes of the
-- SHA-256 of the other columns, so that it is the same in every file; uses: the number of changes
-- that name it.
CREATE TABLE metric_classes (
    id INTEGER PRIMARY KEY,
    uses INTEGER NOT NULL,
    app TEXT NOT NULL,
    product_id TEXT,
    subscription_group TEXT,
    storefront TEXT,
    currency TEXT,
    offer_type INTEGER,
    offer_identifier TEXT,
    offer_discount_type TEXT,
    phase TEXT NOT NULL,
    ownership TEXT NOT NULL,
    -- A year of the price in milliunits of the currency; NULL: unknown.
    annualised INTEGER,
    is_inferred INTEGER NOT NULL
) STRICT;

-- How many chains changed from one class to another on a day of the report zone; from_at is its first
-- moment. Class 0: not entitled. label: 0 a change, 1 new, 2 appeared,
-- 3 reactivated, 4 recovered, 5 reinstated; 16 voluntary, 17 billing, 18 priceIncrease,
-- 19 productUnavailable, 20 refund, 21 familyRevoke, 22 other, 23 unconfirmed.
CREATE TABLE movements_by_day (
    from_at INTEGER NOT NULL,
    before_class INTEGER NOT NULL,
    after_class INTEGER NOT NULL,
    label INTEGER NOT NULL,
    chains INTEGER NOT NULL,
    PRIMARY KEY (from_at, before_class, after_class, label)
) STRICT, WITHOUT ROWID;

-- The same by month, packed, for reports over years. part: 0 to 127, by the numbers of the classes.
CREATE TABLE movements_by_month (
    from_at INTEGER NOT NULL,
    part INTEGER NOT NULL,
    sums BLOB NOT NULL,
    PRIMARY KEY (from_at, part)
) STRICT, WITHOUT ROWID;

-- The days of the report zone that have sums: [from_at, to_at), and the local date.
CREATE TABLE report_days (
    from_at INTEGER PRIMARY KEY,
    to_at INTEGER NOT NULL,
    date TEXT NOT NULL
) STRICT;

-- Changes after the newest fact of their chain, which time alone makes.
CREATE TABLE pending_movements (
    at INTEGER NOT NULL,
    subscription INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    before_class INTEGER NOT NULL,
    after_class INTEGER NOT NULL,
    label INTEGER NOT NULL,
    PRIMARY KEY (at, subscription, seq)
) STRICT, WITHOUT ROWID;

-- The newest signedDate of all facts; no row: no fact is signed.
CREATE TABLE newest_fact (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    signed_at INTEGER NOT NULL
) STRICT;

-- A change of state: the first interval of a chain, or one whose state differs from that of the one
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
    i.state IN ('subscribed', 'renewing', 'grace', 'owned') AND s.meets_minimum_trust
        AS entitled,
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

-- Every interval of every chain.
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

-- Timeline events that change no state, up to this moment.
CREATE VIEW subscription_facts AS
SELECT
    s.bundle_id, s.original_transaction_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', f.at / 1000.0, 'unixepoch') AS at_time,
    f.fact, f.product_id, f.transaction_id, f.cause, f.at
FROM life_facts AS f
JOIN subscriptions AS s ON s.id = f.subscription
WHERE f.at <= cast((julianday('now') - 2440587.5) * 86400000 AS integer) AND s.bundle_id <> ''
ORDER BY f.at, s.original_transaction_id, s.bundle_id, f.seq;

-- Notices that apply at this moment.
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
    i.state IN ('subscribed', 'renewing', 'grace', 'owned') AND s.meets_minimum_trust
        AS entitled,
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

-- Metrics, by whole days of the report zone that are over. A day's name is its local date.

-- Every change of class of a day, once for the class after it (side 1), once for the one before
-- (-1).
CREATE VIEW daily_sides AS
SELECT
    r.date AS day, m.side, m.label, m.chains, m.class, m.other, r.from_at, r.to_at
FROM (
    SELECT from_at, 1 AS side, after_class AS class, before_class AS other, label, chains
    FROM movements_by_day WHERE after_class <> 0
    UNION ALL
    SELECT from_at, -1, before_class, after_class, label, chains
    FROM movements_by_day WHERE before_class <> 0
) AS m
JOIN report_days AS r ON r.from_at = m.from_at
WHERE r.to_at <= cast((julianday('now') - 2440587.5) * 86400000 AS integer);

-- Chains that lost access, by day, reason and class; paid_chains: those that were paid.
CREATE VIEW daily_churn AS
SELECT
    s.day,
    c.app, c.product_id, c.subscription_group, c.storefront, c.currency, c.offer_type,
    c.offer_identifier, c.offer_discount_type, c.phase, c.ownership,
    CASE s.label
        WHEN 16 THEN 'voluntary' WHEN 17 THEN 'billing' WHEN 18 THEN 'priceIncrease'
        WHEN 19 THEN 'productUnavailable' WHEN 20 THEN 'refund' WHEN 21 THEN 'familyRevoke'
        WHEN 22 THEN 'other' WHEN 23 THEN 'unconfirmed'
    END AS reason,
    sum(s.chains) AS chains,
    sum(CASE WHEN c.phase <> 'trial' THEN s.chains ELSE 0 END) AS paid_chains
FROM daily_sides AS s
JOIN metric_classes AS c ON c.id = s.class
WHERE s.side = -1 AND s.label >= 16 AND c.ownership NOT IN ('familyShared', 'assigned')
GROUP BY s.day, s.label,
    c.app, c.product_id, c.subscription_group, c.storefront, c.currency, c.offer_type,
    c.offer_identifier, c.offer_discount_type, c.phase, c.ownership;

-- Gains and losses of active chains, by day and class. net: active chains at the end of the day less
-- those at its beginning; its sum over all earlier days is the number at the beginning.
CREATE VIEW daily_rollforward AS
SELECT
    s.day,
    c.app, c.product_id, c.subscription_group, c.storefront, c.currency, c.offer_type,
    c.offer_identifier, c.offer_discount_type, c.phase, c.ownership,
    sum(CASE WHEN s.side = 1 AND s.label = 1 THEN s.chains ELSE 0 END) AS new,
    sum(CASE WHEN s.side = 1 AND s.label = 2 THEN s.chains ELSE 0 END) AS appeared,
    sum(CASE WHEN s.side = 1 AND s.label = 3 THEN s.chains ELSE 0 END) AS reactivated,
    sum(CASE WHEN s.side = 1 AND s.label = 4 THEN s.chains ELSE 0 END) AS recovered,
    sum(CASE WHEN s.side = 1 AND s.label = 5 THEN s.chains ELSE 0 END) AS reinstated,
    sum(CASE WHEN s.side = 1 AND s.label = 0 THEN s.chains ELSE 0 END) AS moved_in,
    sum(CASE WHEN s.side = -1 AND s.label = 0 THEN s.chains ELSE 0 END) AS moved_out,
    sum(CASE WHEN s.side = -1 AND s.label >= 16 THEN s.chains ELSE 0 END) AS churned,
    sum(s.side * s.chains) AS net
FROM daily_sides AS s
JOIN metric_classes AS c ON c.id = s.class
LEFT JOIN metric_classes AS o ON o.id = s.other
WHERE c.ownership NOT IN ('familyShared', 'assigned')
    -- A change of price alone is no movement.
    AND NOT (s.label = 0
        AND o.app IS c.app
        AND o.product_id IS c.product_id
        AND o.subscription_group IS c.subscription_group
        AND o.storefront IS c.storefront
        AND o.currency IS c.currency
        AND o.offer_type IS c.offer_type
        AND o.offer_identifier IS c.offer_identifier
        AND o.offer_discount_type IS c.offer_discount_type
        AND o.phase IS c.phase
        AND o.ownership IS c.ownership)
GROUP BY s.day,
    c.app, c.product_id, c.subscription_group, c.storefront, c.currency, c.offer_type,
    c.offer_identifier, c.offer_discount_type, c.phase, c.ownership;

-- Recurring revenue of paid chains, by day. annualised_change: milliunits of a year at the end of the
-- day less those at its beginning; a twelfth of its sum over all days up to one is the MRR at the end
-- of that day. unpriced_change: the same of chains whose price or period is unknown.
CREATE VIEW daily_mrr AS
SELECT
    s.day,
    c.app, c.product_id, c.subscription_group, c.storefront, c.currency, c.offer_type,
    c.offer_identifier, c.offer_discount_type, c.phase, c.ownership,
    sum(s.side * s.chains * coalesce(c.annualised, 0)) AS annualised_change,
    sum(CASE WHEN c.annualised IS NULL THEN s.side * s.chains ELSE 0 END) AS unpriced_change
FROM daily_sides AS s
JOIN metric_classes AS c ON c.id = s.class
WHERE c.phase <> 'trial' AND c.ownership NOT IN ('familyShared', 'assigned')
GROUP BY s.day,
    c.app, c.product_id, c.subscription_group, c.storefront, c.currency, c.offer_type,
    c.offer_identifier, c.offer_discount_type, c.phase, c.ownership;
