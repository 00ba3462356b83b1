import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Reports
import Testing

@testable import Proofs

@Suite("Bundles about erased chains")
struct ErasedBundleTests {
    @Test("Of a life after an erasure, a cell is proven with what the erasure did not record")
    func newLife() async throws {
        let chain = MadeChain()
        var ledger = try TemporaryLedger()
        ledger.now = chain.start(1, 86_400_000)
        _ = try await ledger.ingest([chain.bought()])
        try await ledger.erase(chains: [chain.id])
        ledger.now = TemporaryLedger.end
        _ = try await ledger.ingest([chain.turnedOff(0), chain.renewed(1)])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        try await ledger.session { session in
            let (maker, _) = ProvenStory.maker(session, key)
            for from in ["2026-01-01", "2026-02-01"] {
                var parameters = CellParameters(column: "activeEnd")
                parameters.from = from
                let bundle = try await maker.cell(
                    .churn(isPaid: false), parameters, reportTimeZone: "UTC", bundleId: nil,
                    moment: Moment(at: nil, now: TemporaryLedger.end))
                #expect(bundle.answer?.value["amount"]?.int64 == 1)
                #expect(ProvenStory.check(try ProofBundle(bundle.bytes)).isProven)
            }
        }
    }

    @Test(
        "A customer is proven by an erasure of several chains, also where the clock was set back",
        arguments: [nil, "0ab11111-2222-4333-8444-555555555555"])
    func clockSetBack(tokenOfOther: String?) async throws {
        // given
        let chain = MadeChain(appAccountToken: "0ab11111-2222-4333-8444-555555555555")
        let other = MadeChain(id: "600000000000001", appAccountToken: tokenOfOther)
        let last = other.turnedOff(0)
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([other.bought(), last, chain.bought()])
        let erased = try await ledger.erase(chains: [chain.id, other.id])
        let key = try NoteSignerKey(name: ProvenStory.origin)
        let now = chain.start(0, 5 * 86_400_000)
        let moment = Moment(at: chain.start(0, 25 * 86_400_000), now: now)
        #expect(chain.bought().receivedAt < now && now < last.receivedAt)
        // when
        let bundle = try await ledger.session { session in
            let logged = try await session.ledger.log.event(at: erased.position)
            let erasure = Erasure(evidence: try logged?.originalBytes() ?? [])
            let tokens = erasure?.facts.compactMap(\.fact.transaction?.appAccountToken) ?? []
            return try await ProvenStory.maker(session, key).0.customer(
                CustomerId(token: try #require(tokens.first)), moment: moment)
        }
        // then
        #expect(bundle.events.map(\.position) == [erased.position])
        #expect(bundle.answer?.query.now == last.receivedAt)
        #expect(bundle.answer?.value["standing"]?.string == "active")
        let report = ProvenStory.check(try ProofBundle(bundle.bytes))
        #expect(report.isProven && report.summary?.contains(" (by an erasure)") == true)
        // The checker still refuses a time before the last of them arrived.
        try BundledAnswerTests().checkRefused(
            bundle, now: last.receivedAt.advanced(byMilliseconds: -1), key)
    }
}
