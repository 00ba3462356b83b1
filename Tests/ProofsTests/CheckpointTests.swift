import AppStore
import Faults
import LedgerStore
import LedgerTestSupport
import Projection
import Signing
import Simulator
import TestSupport
import Testing

@testable import Proofs

@Suite("Checkpoints of a log")
struct CheckpointTests {
    private static func ledger(
        _ body: (CheckpointSigner, any LedgerLog, any OperationalState) async throws -> Void
    ) async throws {
        try await ProvenStory.small { session, _, signer in
            try await body(signer, session.ledger.log, session.ledger.operations)
        }
    }

    @Test("The head is signed once, and each later one only where it extends those before")
    func extended() async throws {
        try await CheckpointTests.ledger { signer, log, operations in
            let first = try await signer.sign()
            #expect(try await signer.sign() == first)
            _ = try await log.append(Sample.events(9_000..<9_010))
            let second = try await signer.sign()
            #expect(second.size == first.size + 10)
            #expect(try await operations.checkpoints(after: -1, limit: 10) == [first, second])
            #expect(try await operations.checkpoints(after: first.size, limit: 10) == [second])
            #expect(try await operations.checkpoints(before: .max, limit: 1) == [second])
            #expect(try await operations.checkpoints(before: second.size, limit: 1) == [first])
            let note = try SignedNote(second.note)
            #expect(note.verify(signer.key.verifier).isValid)
            #expect(try LogCheckpoint(note).root == (try await log.head().root))
        }
    }

    @Test("A log that is not the one that was signed is not signed again, and is named")
    func forked() async throws {
        try await CheckpointTests.ledger { signer, log, operations in
            let first = try await signer.sign()
            let audit = CheckpointAudit(
                log, operations: operations, key: signer.key.verifier, witnesses: [])
            #expect(try await audit.run()?.isSound == true)
            // As if the log had been rewritten since, and as if it had been cut.
            for (size, code) in [
                (first.size, CheckpointAudit.Finding.Code.logRewritten), (first.size + 5, .logCut),
            ] {
                let other = try LogCheckpoint(
                    origin: signer.key.verifier.name, size: size, root: SHA256.hash([7])
                ).signed(by: signer.key)
                let kept = StoredCheckpoint(size: size, note: other.note, signedAt: first.signedAt)
                try await operations.keep(kept)
                await #expect(throws: ProofError.self) { _ = try await signer.sign() }
                let report = try #require(try await audit.run())
                let finding = try #require(report.findings.last)
                #expect(finding.code == code && finding.size == size)
                #expect(finding.logEnd == (code == .logCut ? first.size : nil))
            }
            // No signature of this log is left that vouches for any position.
            #expect(try await audit.run()?.findings.last?.firstPosition == 1)
        }
    }

    @Test("Nothing is proven of a log that does not extend its newest checkpoint")
    func unprovable() async throws {
        try await ProvenStory.small { session, maker, signer in
            // As if the log had been rewritten, and as after a restore of an older backup.
            for size in [session.head, session.head + 5] {
                let other = try LogCheckpoint(
                    origin: signer.key.verifier.name, size: size, root: SHA256.hash([7])
                ).signed(by: signer.key)
                try await session.ledger.operations.keep(
                    StoredCheckpoint(size: size, note: other.note, signedAt: StoryCheck.end))
                let error = await #expect(throws: ProofError.self) {
                    _ = try await maker.events([1])
                }
                #expect(error?.code == .logForked)
            }
        }
    }

    @Test("A checkpoint from elsewhere is compared, too")
    func against() async throws {
        try await CheckpointTests.ledger { signer, log, operations in
            let first = try await signer.sign()
            _ = try await log.append(Sample.events(9_000..<9_010))
            let audit = CheckpointAudit(
                log, operations: operations, key: signer.key.verifier, witnesses: [])
            let theirs = try SignedNote(first.note)
            #expect(try await audit.run(against: theirs)?.isSound == true)
            let fork = try LogCheckpoint(
                origin: signer.key.verifier.name, size: first.size + 3, root: SHA256.hash([7])
            ).signed(by: signer.key)
            let report = try #require(try await audit.run(against: fork))
            #expect(
                report.findings == [
                    CheckpointAudit.Finding(
                        code: .logRewritten, size: first.size + 3, firstPosition: first.size + 1)
                ])
            let later = try LogCheckpoint(
                origin: signer.key.verifier.name, size: first.size + 50, root: SHA256.hash([7])
            ).signed(by: signer.key)
            #expect(
                try await audit.run(against: later)?.findings == [
                    CheckpointAudit.Finding(
                        code: .logCut, size: first.size + 50, firstPosition: first.size + 1,
                        logEnd: first.size + 10)
                ])
            let stranger = try NoteSignerKey(name: signer.key.verifier.name)
            let foreign = try LogCheckpoint(theirs).signed(by: stranger)
            let found = try #require(try await audit.run(against: foreign))
            #expect(found.findings.map(\.code) == [.checkpointInvalid])
        }
    }

    @Test(
        "With a bit of any byte flipped a checkpoint is refused, unless the witness's line then names another key"
    )
    func flipped() async throws {
        try await CheckpointTests.ledger { signer, log, operations in
            // given
            let note = try SignedNote(try await signer.sign().note)
            let key = try NoteSignerKey(name: "witness", algorithm: .cosignature)
            let line = try SignedNote.cosignature(of: note.text, by: key, atSeconds: 1_700_000)
            let witnessed = note.adding([line])
            let audit = CheckpointAudit(
                log, operations: nil, key: signer.key.verifier, witnesses: [key.verifier])
            #expect(try await audit.run(against: witnessed)?.isSound == true)
            // when
            let bytes = Array(witnessed.note.utf8)
            for index in stride(from: 0, to: bytes.count, by: Soak.isOn ? 1 : 3) {
                var other = bytes
                other[index] ^= 1 << UInt8(index % 7)
                guard let text = String(validating: other, as: UTF8.self),
                    let read = try? SignedNote(text)
                else { continue }
                let report = try #require(try await audit.run(against: read))
                // then
                let isUnknown = !read.signatures.contains { $0.isOf(key.verifier) }
                let isOfLog = read.part(of: signer.key.verifier) == note
                #expect(report.isSound == (isUnknown && isOfLog), "byte \(index)")
            }
            // Without its key the line says nothing.
            let unknown = CheckpointAudit(
                log, operations: nil, key: signer.key.verifier, witnesses: [])
            let wrong = try SignedNote.cosignature(of: "x\n", by: key, atSeconds: 1_700_000)
            let forged = note.adding([wrong])
            #expect(try await unknown.run(against: forged)?.isSound == true)
            let report = try #require(try await audit.run(against: forged))
            #expect(report.findings.map(\.code) == [.checkpointInvalid])
            // A valid line of the same witness does not hide it.
            let both = try #require(try await audit.run(against: witnessed.adding([wrong])))
            #expect(both.findings.map(\.code) == [.checkpointInvalid])
        }
    }

    @Test(
        "A new key of the same origin signs the same head again, and what the old one signed holds")
    func rotated() async throws {
        try await CheckpointTests.ledger { signer, log, operations in
            let first = try await signer.sign()
            let other = CheckpointSigner(
                log: log, operations: operations, prover: TreeProver(log),
                key: try NoteSignerKey(name: signer.key.verifier.name)
            ) { StoryCheck.end }
            let second = try await other.sign()
            #expect(second.size == first.size)
            for key in [signer.key.verifier, other.key.verifier] {
                #expect(try SignedNote(second.note).verify(key).isValid)
            }
            _ = try await log.append(Sample.events(9_000..<9_001))
            _ = try await other.sign()
            for key in [signer.key.verifier, other.key.verifier] {
                let audit = CheckpointAudit(
                    log, operations: operations, key: key, witnesses: [])
                #expect(try await audit.run()?.isSound == true)
            }
        }
    }

    @Test("A key of another origin does not sign after the first")
    func anotherOrigin() async throws {
        try await CheckpointTests.ledger { signer, log, operations in
            _ = try await signer.sign()
            let other = CheckpointSigner(
                log: log, operations: operations, prover: TreeProver(log),
                key: try NoteSignerKey(name: "another/origin")
            ) { StoryCheck.end }
            let error = await #expect(throws: ProofError.self) { _ = try await other.sign() }
            #expect(error?.code == .foreignCheckpoint)
        }
    }

    @Test(
        "A log that is too damaged to be compared is a finding, not an error",
        arguments: ["DELETE FROM head", "UPDATE head SET root = zeroblob(32)"])
    func damaged(change: String) async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(MadeChain().life)
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let kept = try await ledger.session { session in
            try await ProvenStory.maker(session, key).1.sign()
        }
        try LogTampering(path: "\(ledger.environmentDirectory)/log.sqlite").run(change)
        let opened = try await EnvironmentLedger.openLog(
            ledger.configuration, environment: ledger.environment)
        let report = try await CheckpointAudit(
            opened.log, operations: opened.operations, key: key.verifier, witnesses: []
        ).run()
        await opened.close()
        #expect(
            report?.findings == [
                CheckpointAudit.Finding(code: .logDamaged, size: kept.size, firstPosition: 1)
            ])
    }
}
