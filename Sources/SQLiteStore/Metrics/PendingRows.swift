internal import GRDB

extension DeferredTable {
    /// Inserts pending movements, keyed by the time, the chain's number and the index in the chain.
    /// Blocks.
    func loadPending(_ database: Database) throws {
        try load(
            database, table: MovementTable.pending, columns: MovementTable.pendingColumns
        ) { key, value, row in
            for place in 0..<3 {
                let offset = place * MemoryLayout<Int64>.size
                row.bind(Int32(place) + 1, RunKey.int64(key, at: offset))
            }
            for place in 0..<3 {
                let offset = place * MemoryLayout<Int64>.size
                row.bind(Int32(place) + 4, RunKey.int64(value, at: offset))
            }
        }
    }
}
