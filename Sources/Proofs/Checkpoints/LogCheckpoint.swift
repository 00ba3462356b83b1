public import AppStore
internal import LedgerStore
internal import Signing

/// What a log commits to: its size and root, under its origin's name (C2SP tlog-checkpoint).
public struct LogCheckpoint: Hashable, Sendable {
    public let origin: String
    /// The head position.
    public let size: Int64
    public let root: Digest

    public init(origin: String, size: Int64, root: Digest) {
        self.origin = origin
        self.size = size
        self.root = root
    }

    /// The text that is signed.
    var text: String {
        "\(origin)\n\(size)\n"
            + String(decoding: Base64.standard.encode(root.bytes), as: UTF8.self) + "\n"
    }

    /// Reads the text of a note. Lines after the root are extensions and are not read. Throws
    /// `malformedCheckpoint`.
    public init(_ note: SignedNote) throws(ProofError) {
        let lines = note.text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, NoteKeyName.isValid(lines[0]), let size = Int64(plain: lines[1]),
            size >= 0, let bytes = Base64.standard.decode(Array(lines[2].utf8)),
            let root = Digest(bytes: bytes),
            String(decoding: Base64.standard.encode(bytes), as: UTF8.self) == lines[2]
        else {
            throw ProofError(
                .malformedCheckpoint, "The note is no checkpoint: origin, size and root.")
        }
        self.init(origin: String(lines[0]), size: size, root: root)
    }

    /// Signs the checkpoint.
    public func signed(by key: NoteSignerKey) throws(ProofError) -> SignedNote {
        try SignedNote(text, signedBy: key)
    }
}
