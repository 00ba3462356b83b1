import AppStore
import Ledger
import LedgerTestSupport
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
}
