internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore
internal import Migrations
internal import Synchronization

/// The bulk build of the projections (`Log.md` §3): loads the rows of every chain, in chain
/// order, into a file that no other process opens before it is complete.
///
/// Call `append` in chain order, then `finish` or `abandon`, from one caller at a time.
public final class ProjectionsBuild: Sendable {
    public let path: String
    private let bulk: BulkFile
    private let state: Mutex<State>
    /// Changed sums by day that are kept in memory.
    private let keptCount: Int

    private struct State {
        var chainCount: Int64 = 0
        var changes: MovementChanges
        var transactions = DeferredTable(
            table: ChainRows.TransactionRow.table,
            columns: ["transaction_id", "subscription", "first_position"]
        ) { value, row in row.bind(3, RunKey.int64(value, at: 0)) }
        var holdings = DeferredTable(
            table: HoldingRow.table, columns: ["customer", "subscription", "holds", "body"]
        ) { value, row in
            row.bind(3, RunKey.int64(value, at: 0))
            row.bind(blob: UnsafeRawBufferPointer(rebasing: value[MemoryLayout<Int64>.size...]))
        }
    }

    /// Creates the file under its unfinished name. Blocks.
    ///
    /// Throws `diskFull`, `fileReadOnly` or `ioError`.
    public convenience init(
        path: String, build: ProjectionsStore.Build, days: ReportDays = .utc
    ) throws(StoreError) {
        try self.init(
            path: path, build: build, days: days, keptCount: MovementChanges.cellCount)
    }

    /// - Parameter keptCount: changed sums by day that are kept in memory.
    init(
        path: String, build: ProjectionsStore.Build, days: ReportDays = .utc, keptCount: Int
    ) throws(StoreError) {
        precondition(build.days == days.name, "The days differ from the build's.")
        self.path = path
        self.keptCount = keptCount
        state = Mutex(State(changes: MovementChanges(days)))
        bulk = try BulkFile(path: path, schema: DerivedSchema.projections, meta: build.meta)
    }

    /// Adds the rows of the next chains, whose numbers must follow. Blocks.
    public func append(_ rows: EncodedRows) throws(StoreError) {
        try bulk.write { database in
            try state.withLock { state in
                precondition(
                    rows.firstSubscription == state.chainCount + 1,
                    "Chains must be appended in the order of their numbers.")
                state.chainCount += rows.chainCount
                try append(rows, &state, database)
            }
        }
    }

    private func append(
        _ rows: EncodedRows, _ state: inout State, _ database: Database
    ) throws {
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
        for chain in rows.movements {
            state.changes.add(
                of: chain.subscription, new: chain.reported.movements, signedAt: chain.signedAt)
            for named in chain.reported.classes { state.changes.name(named) }
        }
        if state.changes.cellCount > keptCount { _ = try state.changes.write(database) }
        try state.transactions.append(rows.transactions, database)
        try state.holdings.append(rows.holdings, database)
    }

    private func insert<Row: ProjectionRow>(
        _ rows: RowBytes, _ row: Row.Type, _ database: Database
    ) throws {
        try BulkInsert(database, table: Row.table, columns: Row.key + Row.columns).run(rows)
    }

    /// Adds the remaining rows, makes everything durable, and gives the file its final name.
    /// Blocks.
    public func finish(
        checkpoint: ProjectionCursor, completeness: Completeness = Completeness()
    ) throws(StoreError) {
        try bulk.write { database in
            try state.withLock { state in
                try state.transactions.flush(database)
                try state.holdings.flush(database)
                _ = try state.changes.write(database)
            }
            try CompletenessRow.insert(completeness.all, database)
        }
        try bulk.finish(checkpoint: checkpoint)
    }

    /// Abandons the build; no file is left behind.
    public func abandon() { bulk.abandon() }
}
