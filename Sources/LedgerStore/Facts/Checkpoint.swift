public import AppStore

/// How far a derived file contains the log: a position, and the leaf hash there. The same position
/// with another hash means another log (a restored backup, a fork): rebuild.
public struct Checkpoint: Hashable, Sendable {
    public let position: Int64
    /// Nil at position 0.
    public let leafHash: Digest?

    public init(position: Int64, leafHash: Digest?) {
        self.position = position
        self.leafHash = leafHash
    }

    public static let start = Checkpoint(position: 0, leafHash: nil)
}
