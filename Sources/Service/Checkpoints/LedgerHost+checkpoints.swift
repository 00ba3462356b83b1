public import AppStore
internal import LedgerStore
internal import Projection
public import Proofs
public import Queries

/// A stored checkpoint, and which of its signatures verify.
public struct KeptCheckpoint: Sendable {
    public let size: Int64
    public let signedAt: Timestamp
    /// Nil where no key is configured, or where it cannot be used.
    public let signature: CheckpointSignature?
    /// Names of the configured witnesses that signed it.
    public let witnesses: [String]
}

/// Signed checkpoints of the log, and proofs in its tree (`Proof.md`). Each throws `StoreError` or
/// `ServingError`.
extension LedgerHost {
    /// The newest signed checkpoint, as a note; nil before the first one.
    public func checkpoint(_ environment: Environment) async throws -> String? {
        try await ledger(environment).ledger.operations.checkpoints(before: .max, limit: 1)
            .first?.note
    }

    /// A page of the signed checkpoints of more than `size` events, in order.
    public func checkpoints(
        _ environment: Environment, after size: Int64, limit: Int
    ) async throws -> ServedAnswer {
        let served = try ledger(environment)
        let page = try await served.ledger.operations.checkpoints(after: size, limit: limit + 1)
        return served.answer(at: served.head) { json in
            json.objects("checkpoints", page.prefix(limit)) { json, checkpoint in
                json.member("size", checkpoint.size)
                json.member("note", checkpoint.note)
                json.member("signedAt", checkpoint.signedAt)
            }
            json.member("next", page.count > limit ? page[limit - 1].size : nil)
        }
    }

    /// The stored checkpoints of fewer than `size` events (nil: all), newest first, each verified
    /// with the configured keys; and where the next page continues.
    public func keptCheckpoints(
        _ environment: Environment, before size: Int64?, limit: Int
    ) async throws -> (checkpoints: [KeptCheckpoint], next: Int64?) {
        let page = try await ledger(environment).ledger.operations.checkpoints(
            before: size ?? .max, limit: limit + 1)
        let key = try? configuration.auditKey(environment)
        let audit = configuration.audits.first { $0.environment == environment }
        let kept = page.prefix(limit).map { stored in
            let note = try? SignedNote(stored.note)
            return KeptCheckpoint(
                size: stored.size, signedAt: stored.signedAt,
                signature: key.map { CheckpointSignature(of: stored, by: $0) },
                witnesses: (audit?.witnesses ?? []).filter {
                    note?.verify($0.key).isValid == true
                }.map(\.name))
        }
        return (kept, page.count > limit ? page[limit - 1].size : nil)
    }

    /// The proof that the event at a position is in the tree of the first `size` events; nil where
    /// the tree has no such event.
    ///
    /// - `size`: nil: the whole log.
    public func inclusion(
        of position: Int64, in size: Int64?, _ environment: Environment
    ) async throws -> ServedAnswer? {
        let served = try ledger(environment)
        let head = try await served.ledger.log.head().position
        guard position >= 1, position <= size ?? head, size ?? head <= head,
            let logged = try await served.ledger.log.event(at: position)
        else { return nil }
        guard let proof = try await served.proofs.proof(of: logged.event, in: size ?? head) else {
            throw LedgerHost.unproven
        }
        return served.answer(at: head) { json in
            json.member("position", position)
            json.member("leafHash", proof.leafHash)
            json.member("leafIndex", proof.leafIndex)
            json.member("treeSize", proof.treeSize)
            json.array("path", proof.path)
            json.member("root", proof.root)
        }
    }

    /// The proof that the tree of the first `to` events extends that of the first `from`; nil where
    /// the log has no such trees.
    public func consistency(
        from: Int64, to: Int64, _ environment: Environment
    ) async throws -> ServedAnswer? {
        let served = try ledger(environment)
        let head = try await served.ledger.log.head().position
        guard from >= 1, from <= to, to <= head else { return nil }
        guard let proof = try await served.proofs.consistency(from: from, to: to) else {
            throw LedgerHost.unproven
        }
        return served.answer(at: head) { json in
            json.member("from", proof.from)
            json.member("to", proof.to)
            json.array("path", proof.path)
            json.member("fromRoot", proof.fromRoot)
            json.member("toRoot", proof.toRoot)
        }
    }

    private static var unproven: StoreError {
        StoreError(
            .fileCorrupt, reason: "The leaves do not give the root of the log.",
            remedy: "Run `subledger audit verify`, and restore the newest backup that verifies.")
    }
}
