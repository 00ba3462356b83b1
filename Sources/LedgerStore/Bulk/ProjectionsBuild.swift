internal import AppStore
internal import GRDB
internal import Ledger
internal import Migrations
internal import Synchronization

/// The bulk path of the projections (`design.md` §3): rows of every chain, in chain order, loaded
/// into a file that nobody else opens before it is complete.
///
/// `append` in chain order, then `finish` or `abandon`, from one caller at a time.
public final class ProjectionsBuild: Sendable {
    public let path: String
    private let bulk: BulkFile
    private let transactions: TransactionRuns
    private let chainCount = Mutex<Int64>(0)

    /// Makes the file under its unfinished name. Blocks.
    ///
    /// Throws `diskFull`, `fileReadOnly` or `ioError`.
    public init(
        path: String, build: ProjectionsStore.Build, directory: String
    ) throws(StoreError) {
        self.path = path
        transactions = TransactionRuns(directory: directory)
        bulk = try BulkFile(path: path, schema: DerivedSchema.projections, meta: build.meta)
    }

    /// Adds the rows of the next chains: those whose numbers follow. Blocks.
    public func append(_ rows: EncodedRows) throws(StoreError) {
        let isNext = chainCount.withLock { count in
            defer { count += rows.chainCount }
            return count + 1 == rows.firstSubscription
        }
        precondition(isNext, "Chains are appended in the order of their numbers.")
        try bulk.write { database in
            try BulkInsert(
                database, table: SubscriptionRow.table,
                columns: ["id"] + SubscriptionRow.key + SubscriptionRow.columns
            ).run(rows.subscriptions)
            try insert(rows.intervals, IntervalRow.self, database)
            try insert(rows.lifeFacts, LifeFactRow.self, database)
            try insert(rows.notices, NoticeRow.self, database)
        }
        try transactions.append(rows.transactions)
    }

    private func insert<Row: ProjectionRow>(
        _ rows: RowBytes, _ row: Row.Type, _ database: Database
    ) throws {
        try BulkInsert(database, table: Row.table, columns: Row.key + Row.columns).run(rows)
    }

    /// Adds what is kept by transactionId, makes everything durable, and gives the file its name.
    /// Blocks.
    public func finish(checkpoint: Checkpoint) throws(StoreError) {
        let transactions = transactions
        try bulk.write { database in try transactions.load(database) }
        try bulk.finish(checkpoint: checkpoint)
    }

    /// Gives up: nothing is left behind.
    public func abandon() { bulk.abandon() }
}

/// The rows of `transactions`, which are kept by transactionId while chains come by theirs: sorted
/// aside, loaded last.
private final class TransactionRuns: Sendable {
    private let directory: String
    private let state = Mutex((buffer: RunBuffer(), files: [RunFile]()))

    init(directory: String) { self.directory = directory }

    func append(_ records: RunBuffer) throws(StoreError) {
        let full = state.withLock { state -> RunBuffer? in
            state.buffer.append(records)
            guard state.buffer.byteCount >= RunBuffer.fullByteCount else { return nil }
            defer { state.buffer = RunBuffer() }
            return state.buffer
        }
        if let full { try spill(full) }
    }

    private func spill(_ buffer: RunBuffer) throws(StoreError) {
        let file = try RunFile.write(sorted: buffer, directory: directory)
        state.withLock { $0.files.append(file) }
    }

    func load(_ database: Database) throws {
        let rest = state.withLock { state in
            defer { state.buffer = RunBuffer() }
            return state.buffer
        }
        if !rest.isEmpty { try spill(rest) }
        let insert = try BulkInsert(
            database, table: ChainRows.TransactionRow.table,
            columns: ["transaction_id", "subscription", "first_position"])
        let files = try RunFile.joined(state.withLock { $0.files }, directory: directory)
        var merge = try RunMerge(files)
        var rows = RowBytes()
        while let record = merge.first {
            let idCount = record.key.count - MemoryLayout<Int64>.size
            rows.beginRow()
            RunKey.withText(record.key, count: idCount) { rows.bind(text: $0) }
            rows.bind(2, RunKey.int64(record.key, at: idCount))
            rows.bind(3, RunKey.int64(record.value, at: 0))
            if rows.rowCount == BulkInsert.rowsPerRun {
                try insert.run(rows)
                rows.removeAll()
            }
            try merge.advance()
        }
        try insert.run(rows)
    }
}
