internal import GRDB

/// A table keyed by a text and the chain's number, while chains arrive by number: rows are
/// collected and sorted, then inserted in order, so that a batch visits each page once.
struct DeferredTable: Sendable {
    private let table: String
    private let columns: [String]
    private let rest: Rest
    private var records = RunBuffer()

    /// Appends the columns after the key, from a record's value.
    typealias Rest =
        @Sendable (_ value: UnsafeRawBufferPointer, _ row: inout RowBytes) -> Void

    /// Records of this size are inserted.
    static let fullByteCount = RunBuffer.fullByteCount / 2

    init(table: String, columns: [String], rest: @escaping Rest) {
        self.table = table
        self.columns = columns
        self.rest = rest
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
            RunKey.withText(key, count: textCount) { rows.append(text: $0) }
            rows.append(RunKey.int64(key, at: textCount))
            rest(value, &rows)
        }
        records = RunBuffer()
        try BulkInsert(database, table: table, columns: columns).run(rows)
    }
}
