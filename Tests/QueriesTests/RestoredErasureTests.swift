import AppStore
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import TestSupport
import Testing

@Suite("Erasures applied again to an older backup")
struct RestoredErasureTests {
    @Test("Of two persons whose events came in turn after the backup, both are erased again, once")
    func inTurn() async throws {
        let ledger = try TemporaryLedger()
        let (one, other) = (MadeChain(), MadeChain(id: "540000000000001"))
        let lives = zip(one.life, other.life).map { [$0, $1] }
        _ = try await ledger.ingest(lives[0])
        let backup = ledger.directory.file("old.backup")
        try await Gate.ledgers.pass {
            _ = try await EnvironmentLedger.backUp(
                ledger.configuration, environment: ledger.environment, to: backup)
        }
        _ = try await ledger.ingest(Array(lives.dropFirst().joined()))
        for chain in [one, other] { try await ledger.erase(chains: [chain.id]) }
        let records = try await ledger.ledger { try await ErasureRecord.all(of: $0.log) }
        #expect(records.count == 2)
        // Those of the log that is replaced, and the same ones from a file.
        let done = try await Gate.ledgers.pass {
            try await EnvironmentLedger.restore(
                ledger.configuration, environment: ledger.environment, from: backup,
                replaces: true, now: ledger.now, erasures: records)
        }
        #expect(done.restored.erasureCount == 2 && done.restored.head.position == 10)
        let holding = try ledger.files(holding: [one.id, other.id])
        #expect(holding.filter { !$0.hasPrefix("log-replaced-") } == [])
        #expect(try await ledger.isSound())
    }
}
