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

    /// The first remembered position at which another log differs.
    ///
    /// - Parameter other: the other log's leaf hashes at the remembered positions.
    func firstDifference(from other: [Int64: Digest]) -> Int64? {
        leaves.lazy.filter { other[$0.key] != $0.value }.map(\.key).min()
    }
}
