public import LedgerStore

/// Whether a checkpoint is signed by the key of its log.
public enum CheckpointSignature: String, Sendable {
    case valid
    /// By other keys of the same origin alone, such as an earlier one.
    case otherKey
    /// The key's signature does not verify, the origin is another one, or it is no checkpoint.
    case invalid

    public init(of checkpoint: StoredCheckpoint, by key: NoteVerifierKey) {
        let note = try? SignedNote(checkpoint.note)
        let size = note.flatMap { try? LogCheckpoint($0).size }
        self = size == checkpoint.size ? CheckpointSignature(of: note, by: key) : .invalid
    }

    init(of note: SignedNote?, by key: NoteVerifierKey) {
        guard let note, let checkpoint = try? LogCheckpoint(note), checkpoint.origin == key.name
        else {
            self = .invalid
            return
        }
        let isSigned = note.signatures.contains { $0.isOf(key) }
        self = !isSigned ? .otherKey : note.verify(key).isValid ? .valid : .invalid
    }
}
