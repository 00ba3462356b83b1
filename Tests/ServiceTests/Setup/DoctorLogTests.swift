import AppStore
import Foundation
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Proofs
import SQLiteStore
import Signing
import Synchronization
import TestSupport
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

    private func findings(
        _ ledger: TemporaryLedger, about subject: String,
        audits: [ServiceConfiguration.Audit] = [], webhooks: [ServiceConfiguration.Webhook] = []
    ) async -> [String] {
        await ledger.examined { ($0.audits, $0.webhooks) = (audits, webhooks) }
            .filter { $0.subject == subject }.map { "\($0.level.rawValue) \($0.message)" }
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

    /// Notes whether another process could project at the last COMMIT to the log.
    private final class ProjectorProbe: CommitFaults {
        private let directory: String
        private let found = Mutex<Bool?>(nil)

        /// Nil before the first.
        var isFree: Bool? { found.withLock { $0 } }

        init(_ directory: String) { self.directory = directory }

        func willCommit() throws {
            let lock = try ProjectorLock.take(directory: directory)
            found.withLock { $0 = lock != nil }
        }

        func didCommit() {}
    }

    @Test("Once derived data is caught up, another process can project while the log is checked")
    func released() async throws {
        // given
        let ledger = try await ledger()
        let probe = ProjectorProbe(ledger.environmentDirectory)
        // when: the first of these checks makes a COMMIT
        let found = await LogFaults.$commits.withValue(probe) {
            await findings(ledger, about: "projections")
        }
        // then
        #expect(found == ["good up to position 1"])
        #expect(probe.isFree == true)
    }

    private func log(of ledger: TemporaryLedger) -> String {
        "\(ledger.environmentDirectory)/\(EventLog.fileName)"
    }

    @Test("A log that lacks projected events is bad, and what was projected stays as it is")
    func wentBack() async throws {
        let ledger = try await ledger()
        try await ledger.session { try await $0.ledger.log.checkpoint() }
        let old = ledger.directory.file("old.sqlite")
        try FileDamage.copy(log(of: ledger), to: old)
        _ = try await ledger.ingest(MadeChain(id: "570000000000045").life)
        try await ledger.session { #expect($0.head == 5) }
        #expect(await findings(ledger, about: "projections") == ["good up to position 5"])
        try FileDamage.copy(old, to: log(of: ledger))
        for _ in 1...2 {
            let found = await findings(ledger, about: "projections")
            #expect(found.count == 1 && found[0].hasPrefix("bad "))
            #expect(try await ledger.audit().projectionsMatch == false)
        }
        // Facts and projections, each by its name.
        try await ledger.session { session in
            #expect(session.remarks.count == 2 && Set(session.remarks).count == 2)
        }
        #expect(await findings(ledger, about: "projections") == ["good up to position 1"])
    }

    @Test("Repaired projections are a warning, once")
    func repaired() async throws {
        let ledger = try await ledger()
        let path = try await ledger.session { $0.projections.path }
        try Data(repeating: 0xA5, count: 20_000).write(to: URL(filePath: path))
        let found = await findings(ledger, about: "projections")
        #expect(found.count == 2 && found[1].hasPrefix("warning "))
        #expect(await findings(ledger, about: "projections") == ["good up to position 1"])
    }

    @Test("Lost operational state is a warning, once", arguments: [true, false])
    func lostOperations(isEmpty: Bool) async throws {
        let ledger = try await ledger()
        #expect(await findings(ledger, about: "operations") == [])
        let path = "\(ledger.environmentDirectory)/\(OperationsStore.fileName)"
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        if isEmpty { try Data().write(to: URL(filePath: path)) }
        let found = await findings(ledger, about: "operations")
        #expect(found.count == 1 && found[0].hasPrefix("warning operations.sqlite was missing"))
        #expect(found.first?.contains("webhook cursors and waiting deliveries") == true)
        let later = await ledger.examined()
        #expect(!later.contains { $0.subject == "operations" })
        #expect(later.contains(Doctor.Finding(.good, "projections", "up to position 1")))
    }

    @Test("Anything in quarantine is a warning with the number of items")
    func quarantined() async throws {
        // given
        let ledger = try await ledger()
        #expect(await findings(ledger, about: "quarantine") == ["good empty"])
        // when
        let other = MadeChain(bundleId: "com.example.other")
        for (delivery, items) in [(other.bought(), "1 item"), (other.renewed(1), "2 items")] {
            #expect(try await ledger.ingest([delivery]).quarantined == 1)
            // then
            let found = await findings(ledger, about: "quarantine")
            #expect(found == ["warning \(items); see `subledger quarantine list`"])
        }
    }

    @Test("Less than 2 GiB of free disk is a warning, as is an unknown amount")
    func disk() async throws {
        let bound: UInt64 = 2_147_483_648
        let enough = Doctor.disk(bound, at: "/data")
        #expect(enough == Doctor.Finding(.good, "disk", "2048 MiB free at /data"))
        let low = Doctor.disk(bound - 1, at: "/data")
        #expect(low == Doctor.Finding(.warning, "disk", "2047 MiB free at /data"))
        #expect(Doctor.disk(nil, at: "/data").level == .warning)
        let found = try await findings(ledger(), about: "disk")
        #expect(found.count == 1)
    }

    @Test("A log in another environment's place is bad")
    func otherEnvironment() async throws {
        let ledger = try await ledger()
        try await ledger.session { try await $0.ledger.log.checkpoint() }
        let sandbox = try TemporaryLedger(environment: .sandbox)
        try FileManager.default.createDirectory(
            atPath: sandbox.environmentDirectory, withIntermediateDirectories: true)
        try FileDamage.copy(log(of: ledger), to: log(of: sandbox))
        let found = await findings(sandbox, about: "log").filter { $0.hasPrefix("bad ") }
        #expect(found.count == 1)
        #expect(found.first?.contains("for Production; expected Sandbox") == true)
    }

    @Test("An origin of several environments, and a webhook of one not served, are warnings")
    func otherEnvironments() async throws {
        let ledger = try await ledger()
        let audits = [Environment.production, .sandbox].map { environment in
            ServiceConfiguration.Audit(environment: environment, origin: "a", keyFile: "a.key")
        }
        let webhooks = try ServiceConfiguration(
            yaml: """
                webhooks:
                  - { name: a, url: 'http://127.0.0.1:9/', secretFile: a }
                  - { name: b, url: 'http://127.0.0.1:9/', secretFile: b, environment: xcode }
                """
        ).webhooks
        #expect(await findings(ledger, about: "audit", audits: [audits[0]]) == [])
        let found = await findings(ledger, about: "audit", audits: audits)
        #expect(found.count == 1 && found[0].hasPrefix("warning "))
        let idle = await findings(ledger, about: "webhooks", webhooks: webhooks)
        #expect(idle.count == 1 && idle[0].hasPrefix("warning Nothing is delivered"))
        #expect(idle.first?.contains(" b, which is of Xcode") == true)
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
        #expect(other.count == 1 && other[0].hasPrefix("bad The checkpoint of 1 event: "))
        try await sign(5, head.root)
        let cut = await findings(ledger, about: "checkpoints")
        #expect(cut.count == 1 && cut[0].hasPrefix("bad The checkpoint of 5 events: "))
        #expect(cut.first?.contains("the log ends before it") == true)
    }

    @Test("A signature of the configured key must verify; one of an earlier key is not checked")
    func signatures() async throws {
        let origin = "log.example.com/production"
        let (key, earlier) = (try NoteSignerKey(name: origin), try NoteSignerKey(name: origin))
        for (signer, isBroken) in [(key, false), (key, true), (earlier, false)] {
            let ledger = try await ledger()
            let audit = ServiceConfiguration.Audit(
                environment: ledger.environment, origin: origin,
                keyFile: try ledger.directory.write(Array(key.secretText.utf8), to: "audit.key"))
            let head = try await ledger.ledger { try await $0.log.head() }
            func parts(_ root: Digest) throws -> [String] {
                try LogCheckpoint(origin: origin, size: 1, root: root).signed(by: signer).note
                    .components(separatedBy: "\n\n")
            }
            let (own, other) = (try parts(head.root), try parts(SHA256.hash([7])))
            let kept = StoredCheckpoint(
                size: 1, note: "\(own[0])\n\n\(isBroken ? other[1] : own[1])",
                signedAt: ledger.now)
            _ = try await ledger.ledger { try await $0.operations.keep(kept) }
            let found = await findings(ledger, about: "checkpoints", audits: [audit])
            let level = isBroken ? "bad " : "good "
            #expect(found.count == 1 && found[0].hasPrefix(level), "\(found)")
            guard !isBroken else { continue }
            // A line that names a witness is checked where its key is configured.
            let witness = try NoteSignerKey(name: "w", algorithm: .cosignature).verifier
            let line = Data(witness.id + [UInt8](repeating: 0, count: 72)).base64EncodedString()
            let witnessed = StoredCheckpoint(
                size: 1, note: "\(kept.note)\u{2014} w \(line)\n", signedAt: ledger.now)
            _ = try await ledger.ledger { try await $0.operations.keep(witnessed) }
            let ignored = await findings(ledger, about: "checkpoints", audits: [audit])
            #expect(ignored == found)
            var audits = [audit]
            audits[0].witnesses = [.init(name: "w", url: "https://w.example.com", key: witness)]
            let refused = await findings(ledger, about: "checkpoints", audits: audits)
            #expect(refused.count == 1 && refused[0].hasPrefix("bad "), "\(refused)")
        }
    }
}
