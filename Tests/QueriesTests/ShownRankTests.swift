import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Testing

/// Every answer states the rank of trust of its evidence (`Log.md` §2).
@Suite("The rank of trust in answers")
struct ShownRankTests {
    private static let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
    private var chain: MadeChain {
        var chain = MadeChain()
        chain.appAccountToken = Self.token
        return chain
    }

    @Test(
        "State, timeline, facts, events and verdict state one rank, and the higher one once known",
        arguments: ["secret", "transport", "signed"])
    func reported(rank: String) async throws {
        var ledger = try TemporaryLedger()
        try ledger.share()
        let at = chain.start(1, 60_000)
        var lines = [chain.notificationV1("DID_RENEW", through: 1, at: chain.start(1))]
        if rank != "secret" { lines.append(chain.verifyReceipt(through: 1, at: at)) }
        if rank == "signed" { lines.append(try chain.renewed(1).line()) }
        #expect(try await ledger.ingest(lines).errors.isEmpty)
        #expect(try await ledger.show(chain.id, at: at)["trust"]?.string == rank)
        let entries = try await ledger.timeline(chain.id)["entries"]?.array ?? []
        #expect(entries.contains { $0["cause"]?["trust"]?.string == rank })
        let events = try await ledger.exportLines(.events).compactMap { $0["trust"]?.string }
        #expect(events == Array(["secret", "transport", "signed"].prefix(lines.count)))
        let facts = try await ledger.exportLines(.facts).map { $0["cause"]?["trust"]?.string }
        // The notification names the renewal, also of a period that a response states.
        #expect(facts == [rank])
        let verdicts = try await ledger.session { session in
            let answer = try await session.snapshot.entitlements(
                of: CustomerId(stated: Self.token), moment: ledger.moment(at))
            return try TemporaryLedger.json { answer.write(to: &$0) }["entitlements"]?.array
        }
        #expect(verdicts?.map { $0["trust"]?.string } == [rank])
        // Access requires more than the shared secret.
        #expect(verdicts?.map { $0["active"]?.bool } == [rank != "secret"])
        let show = try await ledger.show(chain.id, at: at)
        #expect(show["entitled"]?.bool == (rank != "secret"))
        #expect(show["state"]?.string == "renewing")
    }
}
