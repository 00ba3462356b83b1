import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Simulator
import TestSupport
import Testing

@testable import Proofs

/// A story's ledger with a key, to make bundles of.
enum ProvenStory {
    static let origin = "example.com/subledger/production"

    /// Runs `body` with the ledger of a story.
    static func run(
        _ name: String,
        _ body: (LedgerSession, BundleMaker, CheckpointSigner) async throws -> Void
    ) async throws {
        let story = try StoryTelling.story(name)
        let lines = try story.deliveries.map { try $0.line(signedBy: TestAuthority.shared) }
        try await Gate.ledgers.pass {
            var telling = try await StoryTelling(story)
            try await telling.take(lines)
            try await telling.session { session in
                let (maker, signer) = ProvenStory.maker(
                    session, try NoteSignerKey(name: origin))
                try await body(session, maker, signer)
            }
            await telling.scratch.remove()
        }
    }

    private static let life = SharedLedger { _ = try await $0.ingest(MadeChain().life) }

    /// Runs `body` with a ledger of four events.
    static func small(
        _ body: (LedgerSession, BundleMaker, CheckpointSigner) async throws -> Void
    ) async throws {
        try await life.copy().session { session in
            let (maker, signer) = ProvenStory.maker(session, try NoteSignerKey(name: origin))
            try await body(session, maker, signer)
        }
    }

    /// Makes bundles of a ledger, signed by a key.
    static func maker(
        _ session: LedgerSession, _ key: NoteSignerKey
    ) -> (BundleMaker, CheckpointSigner) {
        let prover = TreeProver(session.ledger.log)
        let signer = CheckpointSigner(
            log: session.ledger.log, operations: session.ledger.operations, prover: prover,
            key: key
        ) { StoryCheck.end }
        return (BundleMaker(session.snapshot, prover: prover, signer: signer), signer)
    }

    /// Every chain of a ledger, at every moment at which its state changes.
    static func readings(_ session: LedgerSession) async throws -> [(id: String, at: Timestamp)] {
        var cursor: ChainCursor?
        var found: [(String, Timestamp)] = []
        let end = Moment(at: StoryCheck.end, now: StoryCheck.end)
        while let reading = try await session.snapshot.next(after: &cursor, moment: end) {
            let id = reading.chain.originalTransactionId.rawValue
            found += (reading.transitions.map(\.at) + [StoryCheck.end]).map { (id, $0) }
        }
        return found
    }

    static func check(_ bundle: ProofBundle, key: NoteVerifierKey? = nil) -> BundleCheck.Report {
        BundleCheck(bundle, key: key, roots: TestAuthority.roots).run()
    }
}

extension ProofBundle {
    /// The cell of a report that it answers; nil for another answer.
    var cell: BundledCell? {
        guard case .cell(let cell) = answer?.query.subject else { return nil }
        return cell
    }
}
