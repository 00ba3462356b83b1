public import AppStore

/// The prefix of the log that a derived file contains: a position, the leaf hash at it, and the
/// tree. Another log (a restored backup, a fork) has a different leaf or tree there, and the file
/// is rebuilt.
public struct ProjectionCursor: Hashable, Sendable {
    public let position: Int64
    /// Nil at position 0. Commits to one event, not to those before it.
    public let leafHash: Digest?
    /// The tree of the log that the data was derived from, as it was then, at `position` or beyond:
    /// it commits to every event up to its size. Nil where only a position in a log is meant.
    public let tree: CompactRange?

    public init(position: Int64, leafHash: Digest?, tree: CompactRange? = nil) {
        self.position = position
        self.leafHash = leafHash
        self.tree = tree
    }

    public static let start = ProjectionCursor(position: 0, leafHash: nil)
}
