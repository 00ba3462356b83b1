package import AppStore

/// The one row of `head`: the end of the log, to which a transaction adds events.
package struct HeadRow: Sendable {
    package private(set) var tree: CompactRange
    /// The newest unclaimed receivedAt. Claimed times are excluded: one in the future would raise
    /// every later time.
    package private(set) var newestReceivedAt: Timestamp?

    /// Reads position, tree, root and newest_received_at; nil when they contradict each other.
    package init?(_ row: some SQLRow) throws {
        guard let tree = CompactRange(size: try row.int64(0), bytes: row.bytes(1)),
            row.digest(2) == tree.root
        else { return nil }
        self.tree = tree
        newestReceivedAt = try row.optionalTime(3)
    }

    package var head: LogHead {
        LogHead(position: tree.size, root: tree.root, newestReceivedAt: newestReceivedAt)
    }

    /// The row that an event becomes at the next position.
    ///
    /// - Parameter identity: the key it shares with another event; nil unless it is a conflict.
    package func next(_ event: NewEvent, key: Digest, identity: Digest?) -> RecordedEvent {
        var receivedAt = event.receivedAt
        if !event.receivedAtClaimed, let newestReceivedAt {
            receivedAt = max(receivedAt, newestReceivedAt)
        }
        return event.row(
            at: tree.size + 1, key: key, identity: identity, receivedAt: receivedAt)
    }

    /// Adds what `next` made.
    package mutating func add(_ row: RecordedEvent) {
        tree.append(row.leafHash)
        if !row.receivedAtClaimed { newestReceivedAt = row.receivedAt }
    }
}
