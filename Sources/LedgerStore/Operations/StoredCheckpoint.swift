public import AppStore

/// A signed checkpoint of the log (`Proof.md`), as it is kept.
public struct StoredCheckpoint: Hashable, Sendable {
    /// The head position that was signed.
    public let size: Int64
    /// The signed note with the witnesses' signatures so far.
    public var note: String
    public let signedAt: Timestamp

    public init(size: Int64, note: String, signedAt: Timestamp) {
        self.size = size
        self.note = note
        self.signedAt = signedAt
    }
}
