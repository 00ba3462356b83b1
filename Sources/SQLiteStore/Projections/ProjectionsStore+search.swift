public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// A chain or customer that an id names in the projections.
public enum NamedThing: Hashable, Sendable {
    case customer(CustomerId)
    /// By its originalTransactionId.
    case chain(ChainId)
    case transaction(TransactionId, ChainId)
    case orderLine(WebOrderLineItemId, ChainId)
}

/// Lookups by an id or its beginning. Every statement searches an index: none scans a table.
extension ProjectionsStore {
    /// Rows that one lookup examines, so that a filter by app never walks over a whole index.
    public static let examinedCount = 200

    /// The ids that a lookup finds: one, or those between two others.
    enum IdRange: CaseIterable {
        case one
        case between

        private func condition(_ column: String) -> String {
            self == .one ? "\(column) = ?" : "\(column) > ? AND \(column) < ?"
        }

        var chains: String {
            """
            SELECT bundle_id, original_transaction_id FROM subscriptions
            WHERE \(condition("original_transaction_id"))
            ORDER BY original_transaction_id, bundle_id LIMIT ?
            """
        }

        func rows<Row: StatedIdRow>(_ row: Row.Type) -> String {
            let id = Row.columns[0]
            return """
                SELECT \(id), subscription FROM \(Row.table) WHERE \(condition(id))
                ORDER BY \(id), subscription LIMIT ?
                """
        }
    }

    static let customer = "SELECT 1 FROM holdings WHERE customer = ? LIMIT 1"
    static let customerOfApp = """
        SELECT 1 FROM holdings AS h JOIN subscriptions AS s ON s.id = h.subscription
        WHERE h.customer = ? AND s.bundle_id IN (?, '') LIMIT 1
        """
    static let nextCustomer = """
        SELECT customer FROM holdings WHERE customer > ? AND customer < ?
        ORDER BY customer LIMIT 1
        """
    static let numbered = """
        SELECT bundle_id, original_transaction_id FROM subscriptions WHERE id = ?
        """

    /// Everything with exactly this id: customers, then chains, then transactions, without those
    /// that have the id of their chain, then order lines.
    ///
    /// - `bundleId`: only what is of this app, and its customers.
    public func things(
        named id: String, bundleId: BundleId? = nil
    ) async throws(StoreError) -> [NamedThing] {
        try await read { database in
            var lookup = IdLookup(database, bundleId)
            if try lookup.matches(CustomerId(id)) { lookup.add(.customer(CustomerId(id))) }
            try lookup.addOfChains(.one, [id])
            return lookup.found
        }
    }

    /// What has an id that begins with this text and is longer: at most `limit` of each kind, in
    /// byte order, customers, then chains, transactions and order lines.
    ///
    /// - Returns: `hasMore`: whether there may be more.
    public func things(
        beginning text: String, bundleId: BundleId? = nil, limit: Int
    ) async throws(StoreError) -> (found: [NamedThing], hasMore: Bool) {
        try await read { database in
            // No text begins with the prefix and is greater, apart from this character itself.
            let end = text + "\u{10FFFF}"
            var lookup = IdLookup(database, bundleId)
            lookup.limit = limit
            try lookup.addCustomers(from: text, to: end)
            try lookup.addOfChains(.between, [text, end])
            return (lookup.found, lookup.hasMore)
        }
    }
}

/// The lookups of one search, in one transaction.
private struct IdLookup {
    private let database: Database
    private let bundleId: BundleId?
    /// Of each kind.
    var limit = Int.max
    private(set) var found: [NamedThing] = []
    private(set) var hasMore = false

    init(_ database: Database, _ bundleId: BundleId?) {
        self.database = database
        self.bundleId = bundleId
    }

    mutating func add(_ thing: NamedThing) { found.append(thing) }

    /// Whether a customer is known, in the app if one is named.
    func matches(_ customer: CustomerId) throws -> Bool {
        guard let bundleId else { return try database.hasRow(ProjectionsStore.customer, customer) }
        return try database.hasRow(ProjectionsStore.customerOfApp, customer, bundleId)
    }

    /// A customer has a row for each chain, so that each step skips to the next customer.
    mutating func addCustomers(from start: String, to end: String) throws {
        var (last, count) = (start, 0)
        for _ in 0..<ProjectionsStore.examinedCount {
            let next = try database.rows(ProjectionsStore.nextCustomer, last, end) {
                $0.requiredText(0)
            }.first
            guard let next else { return }
            last = next
            guard try bundleId == nil || matches(CustomerId(next)) else { continue }
            guard count < limit else { break }
            add(.customer(CustomerId(next)))
            count += 1
        }
        hasMore = true
    }

    /// Adds chains, then transactions, then order lines.
    ///
    /// - Parameter ids: the one, or the two that bound the range.
    mutating func addOfChains(_ range: ProjectionsStore.IdRange, _ ids: [String]) throws {
        let values: [(any BoundValue)?] =
            ids.map { $0 as (any BoundValue)? } + [ProjectionsStore.examinedCount]
        let chains = try database.rows(range.chains, all: values) { $0.chainId(0) }
        note(chains.count)
        addFirst(chains.filter { matches($0) }.map { .chain($0) })
        try add(range.rows(ChainRows.TransactionRow.self), values) { id, chain in
            chain.originalTransactionId.rawValue == id
                ? nil : .transaction(TransactionId(id), chain)
        }
        try add(range.rows(ChainRows.OrderLineRow.self), values) {
            .orderLine(WebOrderLineItemId($0), $1)
        }
    }

    /// Adds what ids of chains name.
    private mutating func add(
        _ sql: String, _ values: [(any BoundValue)?],
        make: (_ id: String, ChainId) -> NamedThing?
    ) throws {
        let entries = try database.rows(sql, all: values) { row in
            (id: row.requiredText(0), subscription: row.int64(1))
        }
        note(entries.count)
        var matching: [NamedThing] = []
        for entry in entries {
            let chains = try database.rows(ProjectionsStore.numbered, entry.subscription) {
                $0.chainId(0)
            }
            guard let chain = chains.first, matches(chain), let thing = make(entry.id, chain)
            else { continue }
            matching.append(thing)
        }
        addFirst(matching)
    }

    private mutating func addFirst(_ things: [NamedThing]) {
        found += things.prefix(limit)
        if things.count > limit { hasMore = true }
    }

    private mutating func note(_ examined: Int) {
        if examined >= ProjectionsStore.examinedCount { hasMore = true }
    }

    /// Rows without an app are those of customers.
    private func matches(_ chain: ChainId) -> Bool {
        !chain.bundleId.rawValue.isEmpty && (bundleId == nil || chain.bundleId == bundleId)
    }
}
