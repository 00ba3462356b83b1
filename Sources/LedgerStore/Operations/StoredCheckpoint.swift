public import AppStore
internal import Signing

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
        guard size == other.size, parts.text.utf8.elementsEqual(others.text.utf8),
            note.hasSuffix("\n")
        else { return nil }
        var both = self
        var count = parts.signatures.count
        for line in others.signatures
        where !parts.signatures.contains(line) && StoredCheckpoint.isSignature(line) {
            count += 1
            guard count <= StoredCheckpoint.signatureCount,
                both.note.utf8.count + line.utf8.count < StoredCheckpoint.noteByteCount
            else { break }
            both.note += "\(line)\n"
        }
        return both
    }

    /// Largest note, and most signatures below its text, that are read (`Proof.md`).
    package static let noteByteCount = 64 * 1_024
    package static let signatureCount = 100

    /// Whether a line has the form of a signature; any other would make the note unreadable.
    private static func isSignature(_ line: Substring) -> Bool {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "\u{2014}", NoteKeyName.isValid(parts[1]),
            let bytes = Base64.standard.decode(Array(parts[2].utf8))
        else { return false }
        return bytes.count > 4 && Base64.standard.encode(bytes).elementsEqual(parts[2].utf8)
    }

    /// The text of a signed note, and its lines of signatures.
    private static func parts(of note: String) -> (text: Substring, signatures: [Substring]) {
        guard let split = note.ranges(of: "\n\n").last else { return (note[...], []) }
        return (note[..<split.lowerBound], note[split.upperBound...].split(separator: "\n"))
    }
}
