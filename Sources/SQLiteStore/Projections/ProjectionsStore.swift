public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore
internal import Migrations
internal import Synchronization

/// One `projections-<reducerVersion>-<n>.sqlite`: the life of every chain as rows. Disposable.
public final class ProjectionsStore: DerivedStore {
    public let file: OpenDerivedFile
    /// The classes as of the last read; nearly every query finds the same ones.
    private let knownClasses = Mutex(ClassTable())

    /// The parameters a file was built with; a file with others is not used.
    public struct Build: Hashable, Sendable {
        public let reducerVersion: Int
        public let decoderVersion: Int
        /// SHA-256 of the catalogue, in hexadecimal: levels and durations determine the rows.
        public let catalogueHash: String
        /// The days of the sums: the report zone and its rules.
        public let days: String

        static let daysKey = "reportDays"

        /// The version of the tables; a file with a different one cannot be read.
        static let layoutVersion = 10

        public init(catalogueHash: String, days: ReportDays = .utc) {
            reducerVersion = Lifecycle.reducerVersion
            decoderVersion = Fact.decoderVersion
            self.catalogueHash = catalogueHash
            self.days = days.name
        }

        init?(meta: [String: String]) {
            guard meta["layoutVersion"] == String(Build.layoutVersion),
                let reducer = meta["reducerVersion"].flatMap({ Int($0) }),
                let decoder = meta["decoderVersion"].flatMap({ Int($0) }),
                let catalogue = meta["catalogueHash"], let days = meta[Build.daysKey]
            else { return nil }
            reducerVersion = reducer
            decoderVersion = decoder
            catalogueHash = catalogue
            self.days = days
        }

        var meta: [String: String] {
            [
                "reducerVersion": String(reducerVersion),
                "decoderVersion": String(decoderVersion), "catalogueHash": catalogueHash,
                "layoutVersion": String(Build.layoutVersion), Build.daysKey: days,
            ]
        }
    }

    /// Opens an existing file. Blocks.
    ///
    /// Throws `noSuchFile`, or the error SQLite reported.
    public init(path: String) throws(StoreError) {
        guard let identity = FileIdentity(path: path) else {
            throw StoreError(
                .noSuchFile, path: path, reason: "The projections are gone.",
                remedy: "They are derived data: run `subledger rebuild`.")
        }
        let derived = DerivedFile(
            path: path, schema: DerivedSchema.projections, mark: SubscriptionRow.table)
        file = OpenDerivedFile(path: path, pool: try derived.open(), identity: identity)
    }

    /// As `init(path:)`, off the cooperative pool.
    public static func open(_ path: String) async throws(StoreError) -> ProjectionsStore {
        try await Blocking.run { () throws(StoreError) in try ProjectionsStore(path: path) }
    }

    /// Whether the file was built with the current parameters.
    public func matches(_ build: Build) async throws(StoreError) -> Bool {
        try await self.build() == build
    }

    /// The parameters of the build; nil when the file lacks them.
    public func build() async throws(StoreError) -> Build? {
        try await read { Build(meta: try DerivedFile.meta($0)) }
    }

    // MARK: Writing

    /// Updates the rows of these chains, writing only those that differ, and moves the checkpoint,
    /// in one transaction.
    ///
    /// Throws `fileChanged` when the file's sums use other days.
    ///
    /// - `completeness`: states that these events added or changed.
    /// - `days`: those the file was built with.
    public func update(
        _ chains: [ChainRows], completeness: [Completeness.State] = [],
        checkpoint: ProjectionCursor, days: ReportDays = .utc
    ) async throws(StoreError) {
        let path = path
        try await write { database in
            guard try DerivedFile.meta(database)[Build.daysKey] == days.name else {
                throw StoreError(
                    .fileChanged, path: path,
                    reason: "Its sums use the days of another time zone.",
                    remedy: "Run `subledger rebuild`.")
            }
            let before = try DerivedFile.checkpoint(database).position
            var writer = try ChainRowWriter(database, days, after: before)
            for rows in chains { try writer.write(rows) }
            try writer.finish()
            try CompletenessRow.insert(completeness, database)
            try DerivedFile.setCheckpoint(checkpoint, database)
        }
    }

    // MARK: Reading

    /// The classes stored as of the current transaction.
    func classes(_ database: Database) throws -> ClassTable {
        let table = try MovementTable.classTable(database, known: knownClasses.withLock { $0 })
        knownClasses.withLock { $0 = table }
        return table
    }

    /// Every chain that holds this transactionId, in chain order.
    public func chains(transaction id: TransactionId) async throws(StoreError) -> [ChainId] {
        try await rows(
            """
            SELECT s.bundle_id, s.original_transaction_id FROM transactions AS t
            JOIN subscriptions AS s ON s.id = t.subscription
            WHERE t.transaction_id = ? ORDER BY s.original_transaction_id, s.bundle_id
            """, id
        ) { $0.chainId(0) }
    }

    /// TransactionIds that occur in more than one chain: the third kind of contradiction
    /// (`Lifecycle.md` §4). For each, every chain and the first position that stated it there.
    public func sharedTransactions(
        through position: Int64 = .max
    ) async throws(StoreError) -> [SharedTransaction] {
        var ids: [TransactionId] = []
        var cursor: String? = ""
        while let after = cursor {
            let page = try await sharedIds(after: after, position)
            ids += page.ids
            cursor = page.next
        }
        return try await sharedTransactions(among: ids, through: position)
    }

    /// TransactionIds scanned per read, so that no reader holds the file for long.
    private static let sharedScanCount: Int64 = 100_000

    /// Those of the next transactionIds that occur in several chains, and where to continue.
    private func sharedIds(
        after cursor: String, _ position: Int64
    ) async throws(StoreError) -> (ids: [TransactionId], next: String?) {
        try await read { database in
            let end = try String.fetchOne(
                database,
                sql: """
                    SELECT transaction_id FROM transactions WHERE transaction_id > ?
                    ORDER BY transaction_id LIMIT 1 OFFSET ?
                    """, arguments: [cursor, ProjectionsStore.sharedScanCount])
            let ids = try database.rows(
                """
                SELECT transaction_id FROM transactions
                WHERE transaction_id > ?1 AND (?2 IS NULL OR transaction_id <= ?2)
                    AND first_position <= ?3
                GROUP BY transaction_id HAVING count(*) > 1 ORDER BY transaction_id
                """, cursor, end, position
            ) { TransactionId($0.requiredText(0)) }
            return (ids, end)
        }
    }

    /// Those of `ids` that occur in more than one chain.
    public func sharedTransactions(
        among ids: [TransactionId], through position: Int64 = .max
    ) async throws(StoreError) -> [SharedTransaction] {
        try await read { database in
            // Very few are shared; checking that first saves the join for the others.
            let isShared = "SELECT 1 FROM transactions WHERE transaction_id = ? LIMIT 1 OFFSET 1"
            var found: [SharedTransaction] = []
            for id in ids where try database.hasRow(isShared, id) {
                let here = try database.rows(
                    """
                    SELECT s.bundle_id, s.original_transaction_id, t.first_position
                    FROM transactions AS t JOIN subscriptions AS s ON s.id = t.subscription
                    WHERE t.transaction_id = ? AND t.first_position <= ?
                    ORDER BY s.original_transaction_id, s.bundle_id
                    """, id, position
                ) { row in
                    SharedTransaction(
                        transactionId: id, chain: row.chainId(0), firstPosition: row.int64(2))
                }
                if here.count > 1 { found += here }
            }
            return found
        }
    }

    public func subscriptionCount() async throws(StoreError) -> Int {
        try await read { database in
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM subscriptions WHERE bundle_id <> ''") ?? 0
        }
    }
}

/// A transactionId that occurs in several chains, in one of them.
public struct SharedTransaction: Hashable, Sendable {
    public let transactionId: TransactionId
    public let chain: ChainId
    public let firstPosition: Int64
}
