internal import GRDB
internal import Synchronization

/// Rows that are kept by a text and the chain's number, while chains come by theirs: sorted aside,
/// loaded last.
final class SideRows: Sendable {
    private let directory: String
    private let state = Mutex((buffer: RunBuffer(), files: [RunFile]()))

    init(directory: String) { self.directory = directory }

    /// Takes records whose key is the text, then the chain's number. Blocks.
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

    /// Inserts all rows in order: the text, the number, then the columns that `bind` makes of a
    /// record's value. Blocks.
    func load(
        _ database: Database, table: String, columns: [String],
        _ bind: (_ value: UnsafeRawBufferPointer, _ row: inout RowBytes) -> Void
    ) throws {
        let rest = state.withLock { state in
            defer { state.buffer = RunBuffer() }
            return state.buffer
        }
        if !rest.isEmpty { try spill(rest) }
        let insert = try BulkInsert(database, table: table, columns: columns)
        let files = try RunFile.joined(state.withLock { $0.files }, directory: directory)
        var merge = try RunMerge(files)
        var rows = RowBytes()
        while let record = merge.first {
            let textCount = record.key.count - MemoryLayout<Int64>.size
            rows.beginRow()
            RunKey.withText(record.key, count: textCount) { rows.bind(text: $0) }
            rows.bind(2, RunKey.int64(record.key, at: textCount))
            bind(record.value, &rows)
            if rows.rowCount == BulkInsert.rowsPerRun {
                try insert.run(rows)
                rows.removeAll()
            }
            try merge.advance()
        }
        try insert.run(rows)
    }
}
