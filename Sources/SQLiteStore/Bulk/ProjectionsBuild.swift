internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore
internal import Migrations
internal import Synchronization

/// The bulk build of the projections (`design.md` §3): loads the rows of every chain, in chain
/// order, into a file that no other process opens before it is complete.
///
/// Call `append` in chain order, then `finish` or `abandon`, from one caller at a time.
public final class ProjectionsBuild: Sendable {
    public let path: String
    private let bulk: BulkFile
    private let transactions: DeferredTable
    private let holdings: DeferredTable
    private let pending: DeferredTable
    /// Collects the sums of the rows in this file.
    public let sums: MovementPool
    private let signedAt = Mutex<Int64?>(nil)
    private let chainCount = Mutex<Int64>(0)

    /// Creates the file under its unfinished name. Blocks.
    ///
    /// Throws `diskFull`, `fileReadOnly` or `ioError`.
    public convenience init(
        path: String, build: ProjectionsStore.Build, directory: String,
        days: ReportDays = .utc
    ) throws(StoreError) {
        try self.init(
            path: path, build: build, directory: directory, days: days,
            keptCount: MovementPool.cellCount)
    }

    /// - Parameter keptCount: sums that one core keeps in memory.
    init(
        path: String, build: ProjectionsStore.Build, directory: String,
        days: ReportDays = .utc, keptCount: Int
    ) throws(StoreError) {
        precondition(build.days == days.name, "The days differ from the build's.")
        self.path = path
        transactions = DeferredTable(directory: directory)
        holdings = DeferredTable(directory: directory)
        pending = DeferredTable(directory: directory)
        sums = MovementPool(days, directory: directory, keptCount: keptCount)
        bulk = try BulkFile(path: path, schema: DerivedSchema.projections, meta: build.meta)
    }

    /// Adds the rows of the next chains, whose numbers must follow. Blocks.
    public func append(_ rows: EncodedRows) throws(StoreError) {
        let isNext = chainCount.withLock { count in
            defer { count += rows.chainCount }
            return count + 1 == rows.firstSubscription
        }
        precondition(isNext, "Chains must be appended in the order of their numbers.")
        try bulk.write { database in
            try BulkInsert(
                database, table: SubscriptionRow.table,
                columns: ["id"] + SubscriptionRow.key + SubscriptionRow.columns
            ).run(rows.subscriptions)
            try insert(rows.intervals, IntervalRow.self, database)
            try insert(rows.lifeFacts, TimelineEventRow.self, database)
            try insert(rows.notices, NoticeRow.self, database)
            try BulkInsert(
                database, table: ContributionRow.table,
                columns: ["subscription"] + ContributionRow.columns
            ).run(rows.contributions)
        }
        signedAt.withLock { known in
            if let date = rows.signedAt { known = max(known ?? date, date) }
        }
        try sums.spill()
        try pending.append(rows.pending)
        try transactions.append(rows.transactions)
        try holdings.append(rows.holdings)
    }

    private func insert<Row: ProjectionRow>(
        _ rows: RowBytes, _ row: Row.Type, _ database: Database
    ) throws {
        try BulkInsert(database, table: Row.table, columns: Row.key + Row.columns).run(rows)
    }

    /// Adds the tables ordered by transactionId, by customer and by app, makes everything durable,
    /// and gives the file its final name. Blocks.
    public func finish(
        checkpoint: ProjectionCursor, completeness: Completeness = Completeness()
    ) throws(StoreError) {
        let (transactions, holdings) = (transactions, holdings)
        let (pending, sums) = (pending, sums)
        try bulk.write { database in
            try transactions.load(
                database, table: ChainRows.TransactionRow.table,
                columns: ["transaction_id", "subscription", "first_position"]
            ) { value, row in row.bind(3, RunKey.int64(value, at: 0)) }
            try holdings.load(
                database, table: HoldingRow.table,
                columns: ["customer", "subscription", "holds", "body"]
            ) { value, row in
                row.bind(3, RunKey.int64(value, at: 0))
                row.bind(
                    blob: UnsafeRawBufferPointer(rebasing: value[MemoryLayout<Int64>.size...]))
            }
            try pending.loadPending(database)
            try sums.load(database)
            try NewestFact.raise(signedAt.withLock { $0 }, database)
            try CompletenessRow.insert(completeness.all, database)
        }
        try bulk.finish(checkpoint: checkpoint)
    }

    /// Abandons the build; no file is left behind.
    public func abandon() { bulk.abandon() }
}
