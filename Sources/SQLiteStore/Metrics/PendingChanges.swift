internal import GRDB

/// The changes of pending movements within one transaction, written at its end in table order, so
/// that each page is visited once.
struct PendingChanges: Sendable {
    private struct Key: Hashable, Sendable {
        let at: Int64
        let subscription: Int64
        let seq: Int64
    }

    /// Nil for a movement that is no longer pending.
    private var changes: [Key: StoredMovement?] = [:]

    /// Adds a chain's old and new movements; those due to the clock alone are later than the
    /// chain's newest fact.
    mutating func add(
        of subscription: Int64, old: [StoredMovement], before: Int64?, new: [StoredMovement],
        after: Int64?
    ) {
        for (seq, movement) in old.enumerated() where movement.at > before ?? .min {
            let isStill =
                seq < new.count && new[seq] == movement && movement.at > after ?? .min
            if isStill { continue }
            changes[Key(at: movement.at, subscription: subscription, seq: Int64(seq))] =
                .some(nil)
        }
        for (seq, movement) in new.enumerated() where movement.at > after ?? .min {
            let wasAlready =
                seq < old.count && old[seq] == movement && movement.at > before ?? .min
            if wasAlready { continue }
            changes[Key(at: movement.at, subscription: subscription, seq: Int64(seq))] = movement
        }
    }

    /// Writes the changes and begins anew. Returns the number of rows written and removed.
    mutating func write(_ database: Database) throws -> Int {
        var written = 0
        let delete = try PreparedStatement(
            database,
            "DELETE FROM pending_movements WHERE at = ? AND subscription = ? AND seq = ?")
        let replace = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO pending_movements
                (\(MovementTable.pendingColumns.joined(separator: ", ")))
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        let order = changes.sorted {
            ($0.key.at, $0.key.subscription, $0.key.seq)
                < ($1.key.at, $1.key.subscription, $1.key.seq)
        }
        for (key, movement) in order {
            let statement = movement == nil ? delete : replace
            statement.bind(1, key.at)
            statement.bind(2, key.subscription)
            statement.bind(3, key.seq)
            if let movement {
                statement.bind(4, movement.before)
                statement.bind(5, movement.after)
                statement.bind(6, movement.label)
            }
            written += try statement.run()
        }
        changes.removeAll(keepingCapacity: true)
        return written
    }
}
