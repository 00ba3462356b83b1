import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import TestSupport
import Testing

/// One ledger's `export events --evidence` as another one's input.
@Suite("Ingesting exported evidence")
struct ExportedAgainTests {
    private let chain = MadeChain()

    private func exported(_ ledger: TemporaryLedger) async throws -> [[UInt8]] {
        try await ledger.export(.events) { $0.withEvidence = true }
            .split(separator: "\n").map { Array($0.utf8) }
    }

    private func pair(_ period: Int, _ status: SubscriptionStatus?) -> MadeDelivery {
        let signed = chain.start(period).advanced(byMilliseconds: 7_000)
        return MadeDelivery(
            receivedAt: signed,
            evidence: .pair(
                chain.transaction(period, signed: signed),
                chain.renewal(period, willRenew: true, signed: signed), status.map { Raw($0) }))
    }

    @Test(
        "A ledger's own records are refused with their own code and not kept; the rest is accepted"
    )
    func ownRecords() async throws {
        let (first, second) = (try TemporaryLedger(), try TemporaryLedger())
        _ = try await first.ingest([chain.bought()])
        try await first.decide(.link(CustomerId("ann")), chain.chainId)
        let lines = try await exported(first)
        #expect(lines.count == 2)
        let summary = try await second.ingest(Array(lines.reversed()))
        #expect(summary.appended == 1)
        #expect(summary.rejected == 1)
        #expect(summary.errors.map(\.code) == ["ownRecord"])
        let kept = try await second.ledger { try await $0.operations.quarantined() }
        #expect(kept.isEmpty)
    }

    @Test("A line without its evidence is refused with that reason and not kept")
    func withoutEvidence() async throws {
        let (first, second) = (try TemporaryLedger(), try TemporaryLedger())
        _ = try await first.ingest([chain.bought()])
        let plain = try await first.export(.events).split(separator: "\n").map { Array($0.utf8) }
        try await first.erase(chains: [chain.id])
        let erased = try #require(try await exported(first).first)
        let summary = try await second.ingest(plain + [erased])
        #expect(summary.errors.map(\.code) == ["ownRecord", "ownRecord"])
        #expect(summary.errors.allSatisfy { $0.message.contains("no evidence") })
        let kept = try await second.ledger { try await $0.operations.quarantined() }
        #expect(kept.isEmpty)
    }

    @Test("The time of an import is no time of arrival in another ledger, either")
    func arrivals() async throws {
        let (first, second) = (try TemporaryLedger(), try TemporaryLedger())
        _ = try await first.ingest([
            Array(try chain.bought().token().utf8), try chain.renewed(1).line(),
        ])
        _ = try await second.ingest(try await exported(first))
        let events = try await [first, second].asyncMap { try await $0.exportLines(.events) }
        for lines in events {
            #expect(lines.map { $0["receivedAtClaimed"]?.bool } == [false, true])
        }
        #expect(events[0][1]["receivedAt"] == events[1][1]["receivedAt"])
    }

    @Test(
        "Transactions with their renewal infos, with or without a status, are transferred whole"
    )
    func pairs() async throws {
        let (first, second) = (try TemporaryLedger(), try TemporaryLedger())
        _ = try await first.ingest([
            chain.bought(), pair(0, nil), pair(1, .active), chain.turnedOff(1),
        ])
        let lines = try await exported(first)
        let summary = try await second.ingest(lines)
        #expect(summary.errors.isEmpty)
        #expect(summary.appended == Int64(lines.count))
        let keys = try await [first, second].asyncMap { ledger in
            try await ledger.exportLines(.events).compactMap { $0["key"]?.string }
        }
        #expect(keys[0] == keys[1])
        #expect(keys[0].count == 4)
        let at = chain.start(1, 100_000)
        let shown = try await [first, second].asyncMap { ledger in
            try await ledger.timeline(chain.id, at: at)["intervals"]
        }
        #expect(shown[0] == shown[1])
    }
}
