public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

extension ProjectionsStore {
    /// All that the file holds about one customer, at one position.
    public struct CustomerRecord: Hashable, Sendable {
        /// Every chain whose facts ever named the customer, truncated (`Holding.completeFrom`).
        public var holdings: [Holding] = []
        public var grants: [Grant] = []
        /// The log position up to which the record is complete.
        public var position: Int64 = 0

        /// An empty record.
        public init() {}

        /// Whether verdicts at this time can be computed from the record, without whole lives.
        public func isComplete(at time: Timestamp) -> Bool {
            holdings.allSatisfy { $0.completeFrom <= time }
        }
    }

    /// The customer of a query.
    public struct CustomerKey: Hashable, Sendable {
        public var id: CustomerId
        /// Limits the result to chains of this app and the customer's own entry; nil for every app.
        public var bundleId: BundleId?

        public init(_ id: CustomerId, bundleId: BundleId? = nil) {
            self.id = id
            self.bundleId = bundleId
        }
    }

    /// The records of these customers, in the order given; all read in one transaction.
    public func customers(
        _ keys: [CustomerKey]
    ) async throws(StoreError) -> [CustomerRecord] {
        try await read { database in
            let position = try DerivedFile.checkpoint(database).position
            let ofAll = "SELECT body FROM holdings WHERE customer = ?1 ORDER BY subscription"
            let ofApp = """
                SELECT h.body FROM holdings AS h JOIN subscriptions AS s ON s.id = h.subscription
                WHERE h.customer = ?1 AND s.bundle_id IN (?2, '') ORDER BY h.subscription
                """
            return try keys.map { key in
                var record = CustomerRecord()
                record.position = position
                let select = try PreparedStatement(database, key.bundleId == nil ? ofAll : ofApp)
                select.bind(1, key.id.rawValue)
                if let app = key.bundleId { select.bind(2, app.rawValue) }
                while try select.step() {
                    switch try select.withBytes(0, { try HoldingCodec.decode($0) }) {
                    case .holding(let holding): record.holdings.append(holding)
                    case .grants(let grants): record.grants += grants
                    }
                }
                return record
            }
        }
    }

    /// Every chain whose facts ever named the customer, in chain order, including those held by
    /// another customer.
    public func chains(of customer: CustomerId) async throws(StoreError) -> [ChainId] {
        try await rows(
            """
            SELECT s.bundle_id, s.original_transaction_id FROM holdings AS h
            JOIN subscriptions AS s ON s.id = h.subscription
            WHERE h.customer = ? AND s.bundle_id <> ''
            ORDER BY s.original_transaction_id, s.bundle_id
            """, customer
        ) { $0.chainId(0) }
    }

    /// Whether the customer holds the chain from some time on without end, as of the projected
    /// position.
    public func isHeld(
        _ chain: ChainId, by customer: CustomerId
    ) async throws(StoreError) -> Bool {
        try await read { database in
            try database.hasRow(
                """
                SELECT 1 FROM holdings AS h JOIN subscriptions AS s ON s.id = h.subscription
                WHERE h.customer = ? AND h.holds = 1 AND s.bundle_id = ?
                    AND s.original_transaction_id = ?
                """, customer, chain.bundleId, chain.originalTransactionId)
        }
    }

    /// Every customer whom a fact ever named, in byte order.
    public func customers() async throws(StoreError) -> [CustomerId] {
        try await rows("SELECT DISTINCT customer FROM holdings ORDER BY customer") {
            CustomerId($0.requiredText(0))
        }
    }
}
