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

    /// The checkpoint with the other's signatures below its own; nil where the other states
    /// something else.
    func adding(_ other: StoredCheckpoint) -> StoredCheckpoint? {
        let parts = StoredCheckpoint.parts(of: note)
        let others = StoredCheckpoint.parts(of: other.note)
        guard size == other.size, parts.text == others.text else { return nil }
        var both = self
        for line in others.signatures where !parts.signatures.contains(line) {
            both.note += "\(line)\n"
        }
        return both
    }

    /// The text of a signed note, and its lines of signatures.
    private static func parts(of note: String) -> (text: Substring, signatures: [Substring]) {
        guard let split = note.ranges(of: "\n\n").last else { return (note[...], []) }
        return (note[..<split.lowerBound], note[split.upperBound...].split(separator: "\n"))
    }
}
