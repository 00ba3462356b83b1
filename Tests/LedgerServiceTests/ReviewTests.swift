import AppStore
import Ledger
import LedgerService
import LedgerStore
import Signing
import Simulator
import Testing

/// What hostile reviews of the running ledger found: each was a defect once.
@Suite("Reviews")
struct ReviewTests {
    private let foreign = MadeChain(id: "590000000000001", bundleId: "com.example.other")

    @Test("Evidence that found no room in quarantine is counted and said")
    func notKept() async throws {
        let ledger = try TemporaryLedger()
        let lines = try (0...QuarantineLimits.foreignCountPerBundle).map { index in
            let chain = MadeChain(
                id: String(590_000_000_100_000 + index), bundleId: foreign.bundleId)
            return try chain.bought().line()
        }
        let summary = try await ledger.ingest(lines)
        #expect(summary.quarantined == Int64(lines.count))
        #expect(summary.notKept == 1)
        #expect(summary.errors.last?.message.contains("ingest this again") == true)
    }

    @Test("A body of more pieces than any page has is refused whole; one of just as many is read")
    func pieces() async throws {
        let ledger = try TemporaryLedger()
        for (count, read) in [(1_000, 1_000), (1_001, 1)] {
            let items = Array(repeating: "0", count: count).joined(separator: ",")
            let summary = try await ledger.ingest([
                Array(#"{"signedTransactions":[\#(items)]}"#.utf8)
            ])
            #expect(summary.read == Int64(read))
            #expect(summary.rejected == Int64(read))
        }
    }

    @Test("What came through quarantine counts as received when it was first delivered")
    func firstDelivery() async throws {
        var ledger = try TemporaryLedger()
        let delivered = ledger.now
        _ = try await ledger.ingest([Array(try foreign.bought().token().utf8)])
        ledger.now = delivered.advanced(byMilliseconds: 86_400_000)
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        let (apps, verifier) = (ledger.configuration.apps, ledger.verifier)
        let summary = try await ledger.ledger {
            try await Quarantine(ledger: $0).retry(apps: apps, verifier: verifier)
        }
        #expect(summary.appended == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAt"]?.string == delivered.rfc3339)
        #expect(event["receivedAtClaimed"]?.bool == false)
    }
}
