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
        var transactions = DeferredTable(ChainRows.TransactionRow.self)
        var orderLines = DeferredTable(ChainRows.OrderLineRow.self)
        var holdings = DeferredTable(
            table: HoldingRow.table, columns: ["customer", "subscription", "holds", "body"]
        ) { value, row in
            row.append(RunKey.int64(value, at: 0))
            row.append(blob: UnsafeRawBufferPointer(rebasing: value[MemoryLayout<Int64>.size...]))
        }
    }

    /// Creates the file under its unfinished name. Blocks.
    ///
    /// - `keptCount`: changed sums by day that are kept in memory; nil for the usual number.
    ///
    /// Throws `diskFull`, `fileReadOnly` or `ioError`.
    package init(
        path: String, build: ProjectionsStore.Build, days: ReportDays = .utc,
        keptCount: Int? = nil
    ) throws(StoreError) {
        precondition(build.days == days.name, "The days differ from the build's.")
        self.path = path
        self.keptCount = keptCount ?? MovementChanges.cellCount
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
        try insert(rows.timelineEvents, TimelineEventRow.self, database)
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
        if state.changes.cellCount > keptCount { try state.changes.write(database) }
        try state.transactions.append(rows.transactions, database)
        try state.orderLines.append(rows.orderLines, database)
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
                try state.orderLines.flush(database)
                try state.holdings.flush(database)
                try state.changes.write(database)
            }
            try CompletenessRow.insert(completeness.all, database)
        }
        try bulk.finish(checkpoint: checkpoint)
    }

    /// Abandons the build; no file is left behind.
    public func abandon() { bulk.abandon() }
}

/// Rows of chains encoded as bytes, passed from the folding cores to the writing one: SQLite reads
/// texts in place, without copies or reference counting.
public struct EncodedRows: Sendable {
    /// The number of the first chain; the following chains are numbered consecutively.
    let firstSubscription: Int64
    private(set) var chainCount: Int64 = 0
    private(set) var subscriptions = RowBytes()
    private(set) var intervals = RowBytes()
    private(set) var timelineEvents = RowBytes()
    private(set) var notices = RowBytes()
    /// Chains and first positions by transactionId: separate, since they have a different order.
    private(set) var transactions = RunBuffer()
    /// The same by webOrderLineItemId.
    private(set) var orderLines = RunBuffer()
    /// Holdings of the chains, by customer.
    private(set) var holdings = RunBuffer()
    private(set) var contributions = RowBytes()
    /// The movements of each chain that has a contribution.
    private(set) var movements: [Movements] = []
    /// Reused from record to record.
    private var (key, value): ([UInt8], [UInt8]) = ([], [])

    struct Movements: Sendable {
        let subscription: Int64
        let reported: ChainMovements
        /// When Apple signed the newest fact.
        let signedAt: Int64?
    }

    /// Creates an empty page whose chains are numbered from `firstSubscription` on.
    public init(firstSubscription: Int64) { self.firstSubscription = firstSubscription }

    /// Adds the rows of the next chain.
    public mutating func append(_ rows: ChainRows) {
        let subscription = firstSubscription + chainCount
        chainCount += 1
        subscriptions.beginRow()
        subscriptions.append(subscription)
        subscriptions.append([
            .text(rows.chain.originalTransactionId.rawValue), .text(rows.chain.bundleId.rawValue),
        ])
        subscriptions.append(rows.subscription.values)
        intervals.append(rows.intervals, of: subscription)
        timelineEvents.append(rows.timelineEvents, of: subscription)
        notices.append(rows.notices, of: subscription)
        transactions.append(rows.transactions, of: subscription, &key, &value)
        orderLines.append(rows.orderLines, of: subscription, &key, &value)
        if let row = rows.contribution {
            contributions.beginRow()
            contributions.append(subscription)
            contributions.append(row.values)
            movements.append(
                Movements(
                    subscription: subscription, reported: rows.reported, signedAt: row.signedAt))
        }
        for row in rows.holdings {
            key.removeAll(keepingCapacity: true)
            value.removeAll(keepingCapacity: true)
            RunKey.append(row.customer, to: &key)
            RunKey.append(subscription, to: &key)
            RunKey.append(row.holds ? 1 : 0, to: &value)
            value.append(contentsOf: row.body)
            holdings.append(key: key, value: value)
        }
    }
}

extension DeferredTable {
    fileprivate init<Row: StatedIdRow>(_ row: Row.Type) {
        self.init(table: Row.table, columns: [Row.columns[0], "subscription", "first_position"]) {
            value, row in row.append(RunKey.int64(value, at: 0))
        }
    }
}

extension RunBuffer {
    /// Appends ids of a chain.
    ///
    /// - Parameters:
    ///   - key: reused memory, as is `value`.
    fileprivate mutating func append(
        _ rows: [some StatedIdRow], of subscription: Int64, _ key: inout [UInt8],
        _ value: inout [UInt8]
    ) {
        for row in rows {
            key.removeAll(keepingCapacity: true)
            value.removeAll(keepingCapacity: true)
            RunKey.append(row.id, to: &key)
            RunKey.append(subscription, to: &key)
            RunKey.append(row.firstPosition, to: &value)
            append(key: key, value: value)
        }
    }
}

extension RowBytes {
    /// Appends rows with the key (subscription, seq).
    fileprivate mutating func append<Row: StoredRow>(_ rows: [Row], of subscription: Int64) {
        for (seq, row) in rows.enumerated() {
            beginRow()
            append(subscription)
            append(Int64(seq))
            append(row.values)
        }
    }
}
