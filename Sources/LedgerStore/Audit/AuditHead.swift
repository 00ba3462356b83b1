package import AppStore

/// The head row as an audit reads it, with the last row at the same moment.
package struct AuditHead: Sendable {
    package let position: Int64
    package let tree: [UInt8]
    package let root: Digest?
    package let newestReceivedAt: Timestamp?
    /// The largest position in `events`, 0 for none.
    package let lastPosition: Int64
    package let extent: AuditExtent

    package init(
        position: Int64, tree: [UInt8], root: Digest?, newestReceivedAt: Timestamp?,
        lastPosition: Int64, extent: AuditExtent
    ) {
        self.position = position
        self.tree = tree
        self.root = root
        self.newestReceivedAt = newestReceivedAt
        self.lastPosition = lastPosition
        self.extent = extent
    }

    /// Whether size, tree and root agree and the rows end where the head row states.
    var isConsistent: Bool {
        CompactRange(size: position, bytes: tree)?.root == root && lastPosition == position
    }

    /// For the report; nil when the root cannot be read.
    var row: LogHead? {
        root.map { LogHead(position: position, root: $0, newestReceivedAt: newestReceivedAt) }
    }
}
