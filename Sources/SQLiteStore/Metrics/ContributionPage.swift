public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Stored contributions of some chains, to be summed outside the transaction.
public struct ContributionPage: Sendable {
    /// The chains without their movements, and the size of each one's in `bytes`.
    private var entries: [(chain: Chain, byteCount: Int)] = []
    private var bytes: [UInt8] = []
    /// The number of the page's last chain; the next page begins after it.
    public private(set) var last: Int64 = 0
    /// The number of the file's last chain when the page was read.
    public private(set) var end: Int64 = 0

    /// One chain of a page.
    public struct Chain: Sendable {
        /// The chain's number in this file.
        public let subscription: Int64
        /// The position of its newest event.
        public let lastPosition: Int64
        /// The latest arrival of its events.
        public let receivedAt: Timestamp
        /// The position of its first event.
        public let firstPosition: Int64
        /// The earliest arrival of its events.
        public let firstReceivedAt: Timestamp
        /// Whether it has a life.
        public let hasLife: Bool
        /// In order.
        public fileprivate(set) var movements: [StoredMovement] = []
    }

    /// Passes the chains to `body`.
    ///
    /// Throws `fileCorrupt` for a contribution that cannot be read.
    public func readChains(_ body: (Chain) -> Void) throws(StoreError) {
        do throws(FactReader.Damage) {
            try bytes.withBytes { (all) throws(FactReader.Damage) in
                var (start, movements) = (0, [StoredMovement]())
                for (chain, byteCount) in entries {
                    let stored = UnsafeRawBufferPointer(rebasing: all[start..<start + byteCount])
                    start += byteCount
                    movements.removeAll(keepingCapacity: true)
                    try ContributionCodec.forEach(stored) { movements.append($0) }
                    var read = chain
                    read.movements = movements
                    body(read)
                }
            }
        } catch {
            throw StoreError(
                .fileCorrupt, reason: "A stored contribution cannot be read.",
                remedy: "Run `subledger rebuild`.")
        }
    }

    fileprivate mutating func append(_ select: PreparedStatement) {
        let subscription = select.int64(0)
        select.withBytes(3) { body in
            bytes.append(contentsOf: body)
            let chain = Chain(
                subscription: subscription, lastPosition: select.int64(1),
                receivedAt: select.time(2), firstPosition: select.int64(4),
                firstReceivedAt: select.time(5), hasLife: !body.isEmpty)
            entries.append((chain, body.count))
        }
        last = subscription
    }

    fileprivate init(end: Int64) { self.end = end }
}

extension ProjectionsStore {
    /// Chains per page of contributions: a read of a few milliseconds.
    public static let contributionPageCount = 10_000

    /// The contributions of the next chains by number, from the first after `after` (0: all); nil
    /// at the end.
    public func contributions(
        after: Int64, limit: Int = ProjectionsStore.contributionPageCount
    ) async throws(StoreError) -> ContributionPage? {
        try await read { database in
            let end = try Int64.fetchOne(
                database, sql: "SELECT max(subscription) FROM contributions")
            guard let end, after < end else { return nil }
            let select = try PreparedStatement(
                database,
                """
                SELECT subscription, last_position, received_at, body, first_position,
                    first_received_at
                FROM contributions WHERE subscription > ? ORDER BY subscription LIMIT ?
                """)
            defer { select.reset() }
            select.bind(1, after)
            select.bind(2, Int64(limit))
            var page = ContributionPage(end: end)
            while try select.step() { page.append(select) }
            return page
        }
    }

    /// Every class that contributions currently refer to.
    public func metricClasses() async throws(StoreError) -> ClassTable {
        try await read { [self] in try classes($0) }
    }

    /// The chains with these numbers, in the order given.
    public func chains(numbered numbers: [Int64]) async throws(StoreError) -> [ChainId] {
        try await read { database in
            try numbers.flatMap { number in
                try database.rows(
                    "SELECT bundle_id, original_transaction_id FROM subscriptions WHERE id = ?",
                    number
                ) { $0.chainId(0) }
            }
        }
    }
}
