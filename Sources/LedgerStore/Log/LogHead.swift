public import AppStore

/// The end of the log: the number of events and a commitment to them.
public struct LogHead: Hashable, Sendable {
    /// The last position, 0 for an empty log.
    public let position: Int64
    /// Root of the Merkle tree over positions 1…position (RFC 6962 §2.1).
    public let root: Digest
    /// The newest `receivedAt` that no import line claimed; nil before the first.
    public let newestReceivedAt: Timestamp?

    /// The last position of the tree's full blocks (`LogLimits.provenBlockCount`).
    package var lastBlockEnd: Int64 { position - position % LogLimits.provenBlockCount }

    package init(position: Int64, root: Digest, newestReceivedAt: Timestamp?) {
        self.position = position
        self.root = root
        self.newestReceivedAt = newestReceivedAt
    }
}
