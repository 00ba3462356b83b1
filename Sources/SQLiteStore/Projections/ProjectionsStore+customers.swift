public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

extension ProjectionsStore {
    /// What the file holds of one customer, at one position.
    public struct CustomerRecord: Hashable, Sendable {
        /// Every chain whose facts ever named the customer, shortened (`Holding.completeFrom`).
        public var holdings: [Holding] = []
        public var grants: [Grant] = []
        /// How far the log is contained in it.
        public var position: Int64 = 0

        /// Nothing of anybody.
        public init() {}

        /// Whether verdicts at this time can be read from it, or whole lives are needed.
        public func isComplete(at time: Timestamp) -> Bool {
            holdings.allSatisfy { $0.completeFrom <= time }
        }
    }

    /// Whom a look is for.
    public struct AskedCustomer: Hashable, Sendable {
        public var id: CustomerId
        /// Only chains of this app, and what is the customer's own; nil for those of every app.
        public var bundleId: BundleId?

        public init(_ id: CustomerId, bundleId: BundleId? = nil) {
            self.id = id
            self.bundleId = bundleId
        }
    }

    /// What is known of each of these customers, in the order given: all of one moment.
    public func customers(
        _ asked: [AskedCustomer]
    ) async throws(StoreError) -> [CustomerRecord] {
        try await read { database in
            let position = try DerivedFile.checkpoint(database).position
            let ofAll = try BoundStatement(
                database,
                "SELECT body FROM holdings WHERE customer = ? ORDER BY subscription")
            let ofApp = try BoundStatement(
                database,
                """
                SELECT h.body FROM holdings AS h JOIN subscriptions AS s ON s.id = h.subscription
                WHERE h.customer = ?1 AND s.bundle_id IN (?2, '') ORDER BY h.subscription
                """)
            return try asked.map { asked in
                var record = CustomerRecord()
                record.position = position
                let select = asked.bundleId == nil ? ofAll : ofApp
                select.bind(1, asked.id.rawValue)
                if let app = asked.bundleId { select.bind(2, app.rawValue) }
                while try select.step() {
                    switch try ProjectionsStore.content(select) {
                    case .holding(let holding): record.holdings.append(holding)
                    case .grants(let grants): record.grants += grants
                    }
                }
                return record
            }
        }
    }

    /// Every chain whose facts ever named the customer, in chain order; those that another customer
    /// holds included.
    public func chains(of customer: CustomerId) async throws(StoreError) -> [ChainId] {
        try await read { database in
            let select = try BoundStatement(
                database,
                """
                SELECT s.original_transaction_id, s.bundle_id FROM holdings AS h
                JOIN subscriptions AS s ON s.id = h.subscription
                WHERE h.customer = ? AND s.bundle_id <> ''
                ORDER BY s.original_transaction_id, s.bundle_id
                """)
            select.bind(1, customer.rawValue)
            var chains: [ChainId] = []
            while try select.step() {
                chains.append(
                    ChainId(
                        bundleId: BundleId(select.text(1) ?? ""),
                        originalTransactionId: OriginalTransactionId(select.text(0) ?? "")))
            }
            return chains
        }
    }

    /// Whether the customer holds the chain from some time on without end, as far as is projected.
    public func isHeld(
        _ chain: ChainId, by customer: CustomerId
    ) async throws(StoreError) -> Bool {
        try await read { database in
            let select = try BoundStatement(
                database,
                """
                SELECT 1 FROM holdings AS h JOIN subscriptions AS s ON s.id = h.subscription
                WHERE h.customer = ? AND h.holds = 1 AND s.bundle_id = ?
                    AND s.original_transaction_id = ?
                """)
            select.bind(1, customer.rawValue)
            select.bind(2, chain.bundleId.rawValue)
            select.bind(3, chain.originalTransactionId.rawValue)
            return try select.step()
        }
    }

    /// Everybody whom any fact ever named, in byte order.
    public func customers() async throws(StoreError) -> [CustomerId] {
        try await read { database in
            let select = try BoundStatement(
                database, "SELECT DISTINCT customer FROM holdings ORDER BY customer")
            var found: [CustomerId] = []
            while try select.step() { found.append(CustomerId(select.text(0) ?? "")) }
            return found
        }
    }

    private static func content(_ select: BoundStatement) throws -> HoldingCodec.Content {
        do {
            return try select.withBytes(0) { bytes in try HoldingCodec.decode(bytes) }
        } catch is FactReader.Damage {
            throw StoreError(
                .fileCorrupt, reason: "A stored holding is damaged; projections are derived data.",
                remedy: "Run `subledger rebuild`.")
        }
    }
}
