import AppStore
import Faults
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Signing
import TestSupport
import Testing

@Suite("Erasures applied again to an older backup")
struct RestoredErasureTests {
    private let one = MadeChain()
    private let other = MadeChain(id: "540000000000001")

    /// A ledger of two persons whose events came in turn, both erased; and a backup of the first
    /// two events.
    private func erased() async throws -> (ledger: TemporaryLedger, backup: String) {
        let ledger = try TemporaryLedger()
        let lives = zip(one.life, other.life).map { [$0, $1] }
        _ = try await ledger.ingest(lives[0])
        let backup = ledger.directory.file("old.backup")
        try await Gate.ledgers.pass {
            _ = try await EnvironmentLedger.backUp(
                ledger.configuration, environment: ledger.environment, to: backup)
        }
        _ = try await ledger.ingest(Array(lives.dropFirst().joined()))
        for chain in [one, other] { try await ledger.erase(chains: [chain.id]) }
        return (ledger, backup)
    }

    private func restore(
        _ backup: String, _ ledger: TemporaryLedger, _ erasures: [ErasureRecord] = []
    ) async throws -> LogRestore.Report {
        try await Gate.ledgers.pass {
            try await EnvironmentLedger.restore(
                ledger.configuration, environment: ledger.environment, from: backup,
                replaces: true, now: ledger.now, erasures: erasures
            ).restored
        }
    }

    /// Files that hold an id, without the log that was replaced.
    private func holding(_ ids: [String], in ledger: TemporaryLedger) throws -> [String] {
        try ledger.files(holding: ids).filter { !$0.hasPrefix("log-replaced-") }
    }

    @Test("Of persons whose events came in turn after the backup, all are erased again, once")
    func inTurn() async throws {
        let (ledger, backup) = try await erased()
        let records = try await ledger.ledger { try await ErasureRecord.all(of: $0.log) }
        #expect(records.count == 2)
        // Those of the log that is replaced, and the same ones from a file.
        let report = try await restore(backup, ledger, records)
        #expect(report.erasureCount == 2 && report.head.position == 10)
        #expect(try holding([one.id, other.id], in: ledger).isEmpty)
        #expect(try await ledger.isSound())
    }

    @Test("Keys of uploads that are kept beside another environment are forgotten, too")
    func uploadKeys() async throws {
        let (ledger, backup) = try await erased()
        let beside =
            ledger.configuration.dataDirectory + "/" + EnvironmentLedger.directoryName(.sandbox)
        try await EventLog.open(directory: beside).close()
        func taken() async throws -> UploadKey {
            let operations = try await OperationsStore.open(directory: beside)
            let state = try await operations.take(
                uploadKey: "k", request: SHA256.hash([1]), at: ledger.now)
            await operations.close()
            return state
        }
        #expect(try await taken() == .new)
        #expect(try await taken() == .open)
        _ = try await restore(backup, ledger)
        #expect(try await taken() == .new)
    }

    @Test("Of a damaged log the erasures that can be read are applied again")
    func damaged() async throws {
        let (ledger, backup) = try await erased()
        try LogTampering(path: "\(ledger.environmentDirectory)/log.sqlite").run(
            "UPDATE events SET payload_hash = x'00' WHERE position = 3")
        let report = try await restore(backup, ledger)
        #expect(report.before == .unreadable && report.erasureCount == 1)
        #expect(try holding([other.id], in: ledger).isEmpty)
        #expect(try holding([one.id], in: ledger).contains("log.sqlite"))
    }

    /// A note about a subscription, under a key that clients might use twice.
    private func note(_ chain: MadeChain, in ledger: TemporaryLedger) async throws {
        try await ledger.decide(.note(nil), chain.chainId, key: "1")
    }

    @Test("An erasure is not of a log that has another decision under the key of an erased one")
    func otherDecision() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([one.bought(), other.bought()])
        let (older, parted) = (try ledger.copied(), try ledger.copied())
        try await note(one, in: ledger)
        try await note(other, in: parted)
        try await ledger.erase(chains: [one.id])
        let records = try await ledger.ledger { try await ErasureRecord.all(of: $0.log) }
        let record = try #require(records.first)
        for (place, isOwn) in [(ledger, true), (older, true), (parted, false)] {
            let belongs = try await place.ledger { try await record.belongs(to: $0.log) }
            #expect(belongs == isOwn)
        }
    }
}
