import AppStore
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Proofs
import Signing
import Testing

@testable import Service

@Suite("The doctor's findings about the log")
struct DoctorLogTests {
    private func ledger() async throws -> TemporaryLedger {
        let ledger = try TemporaryLedger()
        let chain = MadeChain(id: "570000000000041")
        #expect(try await ledger.ingest([chain.bought()]).appended == 1)
        return ledger
    }

    private func findings(_ ledger: TemporaryLedger, about subject: String) async -> [String] {
        await Doctor(
            configuration: ServiceConfiguration(ledger.configuration), environment: .production,
            roots: ledger.roots, now: ledger.now
        ).examine().filter { $0.subject == subject }.map { "\($0.level.rawValue) \($0.message)" }
    }

    @Test("A log that refuses every COMMIT is bad, although it can be opened")
    func unwritable() async throws {
        let ledger = try await ledger()
        let disk = FaultyDisk()
        await LogFaults.$commits.withValue(disk) {
            #expect(await findings(ledger, about: "log").filter { $0.hasPrefix("bad") } == [])
            disk.fill(true)
            let found = await findings(ledger, about: "log").filter { $0.hasPrefix("bad") }
            #expect(found.count == 1 && found[0].hasPrefix("bad commitOutcomeUnknown: "))
        }
        let before = try await ledger.ledger { try await $0.log.head() }
        #expect(before.position == 1)
    }

    @Test("A log that is not the one that was signed last is bad")
    func forked() async throws {
        let ledger = try await ledger()
        #expect(await findings(ledger, about: "checkpoints") == [])
        let key = try NoteSignerKey(name: "log.example.com/production")
        let head = try await ledger.ledger { try await $0.log.head() }
        func sign(_ size: Int64, _ root: Digest) async throws {
            let note = try LogCheckpoint(origin: key.verifier.name, size: size, root: root)
                .signed(by: key).note
            _ = try await ledger.ledger {
                try await $0.operations.keep(
                    StoredCheckpoint(size: size, note: note, signedAt: ledger.now))
            }
        }
        try await sign(1, head.root)
        #expect(await findings(ledger, about: "checkpoints").first?.hasPrefix("good ") == true)
        try await sign(1, SHA256.hash([7]))
        let other = await findings(ledger, about: "checkpoints")
        #expect(other.count == 1 && other[0].hasPrefix("bad The checkpoint of 1 events: "))
        try await sign(5, head.root)
        let cut = await findings(ledger, about: "checkpoints")
        #expect(cut.count == 1 && cut[0].hasPrefix("bad The checkpoint of 5 events: "))
        #expect(cut.first?.contains("the log ends before it") == true)
    }
}
