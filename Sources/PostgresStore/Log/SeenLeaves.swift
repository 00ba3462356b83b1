internal import AppStore
internal import LedgerStore

/// Leaf hashes of the newest positions that this node has read or written: a log that does not
/// extend them is another one (a standby that was behind, a restored backup).
struct SeenLeaves {
    private var leaves: [Int64: Digest] = [:]
    private(set) var last: ProjectionCursor = .start

    mutating func note(_ position: Int64, _ leafHash: Digest) {
        leaves[position] = leafHash
        if position > last.position {
            last = ProjectionCursor(position: position, leafHash: leafHash)
        }
        guard leaves.count > PostgresLimits.seenLeafCount * 2 else { return }
        let least = last.position - Int64(PostgresLimits.seenLeafCount)
        leaves = leaves.filter { $0.key > least }
    }

    /// Rows of one page, in order. Rows far behind the newest are not remembered.
    mutating func note(_ events: [RecordedEvent]) {
        let least = last.position - Int64(PostgresLimits.seenLeafCount)
        for event in events where event.position > least && !event.isDamaged {
            note(event.position, event.leafHash)
        }
    }

    /// The remembered positions, in order.
    var positions: [Int64] { leaves.keys.sorted() }

    /// The first known position at which another log differs, and whether it is the first of all:
    /// whether the position before it is remembered, and equal. Nil where all are equal.
    ///
    /// - Parameters:
    ///   - other: the other log's leaf hashes at the remembered positions.
    ///   - head: the position at which the other log ends.
    func firstDifference(
        from other: [Int64: Digest], endingAt head: Int64
    ) -> (position: Int64, isFirst: Bool)? {
        let differing = leaves.lazy.filter { other[$0.key] != $0.value }.map(\.key).min()
        guard let differing else { return nil }
        let position = min(differing, head + 1)
        return (position, position == 1 || leaves[position - 1] != nil)
    }
}
