internal import GRDB

/// A table keyed by a text and the chain's number, while chains arrive by number: rows are
/// collected and sorted, then inserted in order, so that a batch visits each page once.
struct DeferredTable: Sendable {
    private let table: String
    private let columns: [String]
    private let bind: Bind
    private var records = RunBuffer()

    /// Binds the columns after the key, from a record's value.
    typealias Bind =
        @Sendable (_ value: UnsafeRawBufferPointer, _ row: inout RowBytes) -> Void

    /// Records of this size are inserted.
    static let fullByteCount = RunBuffer.fullByteCount / 2

    init(table: String, columns: [String], bind: @escaping Bind) {
        self.table = table
        self.columns = columns
        self.bind = bind
    }

    /// Adds records whose keys are a text and the chain's number.
    mutating func append(_ more: RunBuffer, _ database: Database) throws {
        records.append(more)
        if records.byteCount >= DeferredTable.fullByteCount { try flush(database) }
    }

    /// Inserts the records collected.
    mutating func flush(_ database: Database) throws {
        var rows = RowBytes()
        records.inOrder { key, value in
            let textCount = key.count - MemoryLayout<Int64>.size
            rows.beginRow()
            RunKey.withText(key, count: textCount) { rows.bind(text: $0) }
            rows.bind(2, RunKey.int64(key, at: textCount))
            bind(value, &rows)
        }
        records = RunBuffer()
        try BulkInsert(database, table: table, columns: columns).run(rows)
    }
}
