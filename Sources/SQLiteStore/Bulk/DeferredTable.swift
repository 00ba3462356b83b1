internal import GRDB
internal import LedgerStore
internal import Synchronization

/// Rows ordered by something other than the chain's number, while chains arrive by number: sorted
/// separately, loaded last.
final class DeferredTable: Sendable {
    private let directory: String
    private let state = Mutex((buffer: RunBuffer(), files: [RunFile]()))

    init(directory: String) { self.directory = directory }

    /// Adds records whose keys have the order of the table's. Blocks.
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

    /// Inserts all rows of a table keyed by a text and the chain's number, in order: these two
    /// columns, then those that `bind` derives from a record's value. Blocks.
    func load(
        _ database: Database, table: String, columns: [String],
        _ bind: @escaping @Sendable (_ value: UnsafeRawBufferPointer, _ row: inout RowBytes) -> Void
    ) throws {
        try load(database, table: table, columns: columns) { key, value, row in
            let textCount = key.count - MemoryLayout<Int64>.size
            RunKey.withText(key, count: textCount) { row.bind(text: $0) }
            row.bind(2, RunKey.int64(key, at: textCount))
            bind(value, &row)
        }
    }

    /// Inserts all rows in order, with the columns that `bind` derives from a record. Blocks.
    func load(
        _ database: Database, table: String, columns: [String],
        _ bind:
            @escaping @Sendable (
                _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
                _ row: inout RowBytes
            ) -> Void
    ) throws {
        let rest = state.withLock { state in
            defer { state.buffer = RunBuffer() }
            return state.buffer
        }
        if !rest.isEmpty { try spill(rest) }
        let insert = try BulkInsert(database, table: table, columns: columns)
        let files = try RunFile.joined(state.withLock { $0.files }, directory: directory)
        let merge = Mutex(try RunMerge(files))
        let pieces = Prefetcher { () throws(StoreError) in
            try merge.withLock { (merge) throws(StoreError) in
                var rows = RowBytes()
                while rows.rowCount < DeferredTable.pieceRowCount, let record = merge.first {
                    rows.beginRow()
                    bind(record.key, record.value, &rows)
                    try merge.advance()
                }
                return rows.rowCount == 0 ? nil : rows
            }
        }
        while let rows = try pieces.next() { try insert.run(rows) }
    }

    /// Rows merged while as many are inserted.
    private static let pieceRowCount = 64 * BulkInsert.rowsPerRun
}
