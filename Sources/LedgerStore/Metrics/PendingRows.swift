internal import GRDB
internal import Synchronization

/// Pending movements on their way into a file that is built in bulk: chains come in their order, and
/// the rows are kept by time.
final class PendingRows: Sendable {
    private let directory: String
    private let state = Mutex((buffer: RunBuffer(), files: [RunFile]()))

    init(directory: String) { self.directory = directory }

    /// Takes records whose key is the time, the chain's number and the place in the chain. Blocks.
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

    /// Inserts all rows in order. Blocks.
    func load(_ database: Database) throws {
        let rest = state.withLock { state in
            defer { state.buffer = RunBuffer() }
            return state.buffer
        }
        if !rest.isEmpty { try spill(rest) }
        let insert = try BulkInsert(
            database, table: MovementTable.pending, columns: MovementTable.pendingColumns)
        var merge = try RunMerge(
            try RunFile.joined(state.withLock { $0.files }, directory: directory))
        var rows = RowBytes()
        while let record = merge.first {
            rows.beginRow()
            for place in 0..<3 {
                rows.bind(
                    Int32(place) + 1,
                    RunKey.int64(record.key, at: place * MemoryLayout<Int64>.size))
            }
            for place in 0..<3 {
                rows.bind(
                    Int32(place) + 4,
                    RunKey.int64(record.value, at: place * MemoryLayout<Int64>.size))
            }
            if rows.rowCount == BulkInsert.rowsPerRun {
                try insert.run(rows)
                rows.removeAll()
            }
            try merge.advance()
        }
        try insert.run(rows)
    }
}
