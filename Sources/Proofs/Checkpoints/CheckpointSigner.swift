public import AppStore
public import LedgerStore

/// Signs checkpoints of a log, and stores each in operational state.
public struct CheckpointSigner: Sendable {
    let log: any LedgerLog
    let operations: any OperationalState
    let prover: TreeProver
    public let key: NoteSignerKey
    let clock: @Sendable () -> Timestamp

    public init(
        log: any LedgerLog, operations: any OperationalState, prover: TreeProver,
        key: NoteSignerKey, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.log = log
        self.operations = operations
        self.prover = prover
        self.key = key
        self.clock = clock
    }

    /// The newest checkpoint kept, where it covers a position; otherwise signs the head.
    ///
    /// Throws as `sign`, and `nothingToProve` for a position beyond the log.
    public func checkpoint(covering position: Int64) async throws -> SignedNote {
        if let newest = try await operations.checkpoints(before: .max, limit: 1).first,
            newest.size >= position
        {
            let note = try SignedNote(newest.note)
            if note.verify(key.verifier).isValid { return note }
        }
        let signed = try await sign()
        guard signed.size >= position else {
            throw ProofError(.nothingToProve, "The log has no event at position \(position).")
        }
        return try SignedNote(signed.note)
    }

    /// Signs the head and keeps it; returns the newest checkpoint kept where the head has not moved
    /// since.
    ///
    /// Throws `ProofError` (`logForked` where the log does not extend the newest one, `logUnsound`)
    /// and `StoreError`.
    public func sign() async throws -> StoredCheckpoint {
        // Before the head: another node may sign a later one meanwhile.
        let newest = try await operations.checkpoints(before: .max, limit: 1).first
        let note = try newest.map { try SignedNote($0.note) }
        let known = try note.map { try ownCheckpoint($0) }
        guard let (root, head) = try await prover.extended(known?.size ?? 0) else {
            let position = try await log.head().position
            guard let known, known.size > position else {
                throw ProofError(
                    .logUnsound, "The leaves of the log do not give its root: run `audit verify`.")
            }
            throw ProofError(
                .logForked,
                "The log ends at position \(position); a checkpoint of"
                    + " \(known.size.named("event", "events")) was signed. Restore what is"
                    + " missing.")
        }
        var earlier: [SignedNote.Signature] = []
        if let newest, let note, let known {
            guard root == known.root else {
                throw ProofError(
                    .logForked,
                    "The log does not extend the checkpoint of"
                        + " \(known.size.named("event", "events")) that was signed: run"
                        + " `audit verify`.")
            }
            if known.size == head.position {
                if note.verify(key.verifier).isValid { return newest }
                earlier = note.signatures
            }
        }
        // After a change of keys the same size has a signature of each.
        let signed = try LogCheckpoint(
            origin: key.verifier.name, size: head.position, root: head.root
        ).signed(by: key).adding(earlier)
        return try await operations.keep(
            StoredCheckpoint(size: head.position, note: signed.note, signedAt: clock()))
    }

    /// What the newest checkpoint states, which must be of this origin.
    private func ownCheckpoint(_ newest: SignedNote) throws -> LogCheckpoint {
        let known = try LogCheckpoint(newest)
        guard known.origin == key.verifier.name else {
            throw ProofError(
                .foreignCheckpoint,
                "The last checkpoint was signed as \(known.origin), not as"
                    + " \(key.verifier.name): configure the key of that origin.")
        }
        return known
    }
}
