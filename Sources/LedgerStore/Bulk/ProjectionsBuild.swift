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

    /// Adds the rows of the next chains. Blocks.
    public func append(_ rows: EncodedRows) throws(StoreError) {
        let transactions = transactions
        try bulk.write { database in
            let writer = try BulkRowWriter(database)
            let stated = try writer.write(rows)
            try transactions.append(stated)
        }
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

/// Inserts rows of chains that come in order; nothing is looked up.
private struct BulkRowWriter {
    private let database: Database
    private let insertSubscription: BoundStatement
    private let insertInterval: BoundStatement
    private let insertLifeFact: BoundStatement
    private let insertNotice: BoundStatement

    init(_ database: Database) throws {
        self.database = database
        insertSubscription = try BoundStatement(database, SubscriptionRow.insert)
        insertInterval = try BoundStatement(database, IntervalRow.insert)
        insertLifeFact = try BoundStatement(database, LifeFactRow.insert)
        insertNotice = try BoundStatement(database, NoticeRow.insert)
    }

    /// Writes what goes in chain order; the transactionIds, still to be ordered.
    func write(_ rows: EncodedRows) throws -> RunBuffer {
        try rows.bytes.withUnsafeBytes { bytes in
            var reader = EncodedRowReader(bytes)
            var stated = RunBuffer()
            var (key, value): ([UInt8], [UInt8]) = ([], [])
            var subscription: Int64 = 0
            var (current, seq) = (EncodedRows.Table.subscriptions, Int64(0))
            while let table = reader.table() {
                seq = table == current ? seq + 1 : 0
                current = table
                switch table {
                case .subscriptions:
                    let last = Int32(2 + SubscriptionRow.columns.count)
                    reader.bind(insertSubscription, 1...last)
                    try insertSubscription.runInsert()
                    subscription = database.lastInsertedRowID
                case .intervals: try write(&reader, IntervalRow.self, insertInterval)
                case .lifeFacts: try write(&reader, LifeFactRow.self, insertLifeFact)
                case .notices: try write(&reader, NoticeRow.self, insertNotice)
                case .transactions:
                    key.removeAll(keepingCapacity: true)
                    value.removeAll(keepingCapacity: true)
                    RunKey.append(utf8: reader.text(), to: &key)
                    RunKey.append(subscription, to: &key)
                    RunKey.append(reader.integer(), to: &value)
                    stated.append(key: key, value: value)
                }
            }
            return stated

            func write<Row: ProjectionRow>(
                _ reader: inout EncodedRowReader, _ row: Row.Type, _ insert: BoundStatement
            ) throws {
                insert.bind(1, subscription)
                insert.bind(2, seq)
                reader.bind(insert, 3...Int32(2 + Row.columns.count))
                try insert.runInsert()
            }
        }
    }
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
        let rest = state.withLock { $0.buffer }
        if !rest.isEmpty { try spill(rest) }
        let insert = try BoundStatement(
            database,
            """
            INSERT INTO transactions (transaction_id, subscription, first_position)
            VALUES (?, ?, ?)
            """)
        let files = try RunFile.joined(state.withLock { $0.files }, directory: directory)
        var merge = try RunMerge(files)
        while let record = merge.first {
            let idCount = record.key.count - MemoryLayout<Int64>.size
            insert.bind(1, RunKey.text(record.key, count: idCount))
            insert.bind(2, RunKey.int64(record.key, at: idCount))
            insert.bind(3, RunKey.int64(record.value, at: 0))
            _ = try insert.run()
            try merge.advance()
        }
    }
}
