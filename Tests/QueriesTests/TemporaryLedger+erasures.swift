import AppStore
import LedgerTestSupport
import Queries
import Simulator
import Testing

extension TemporaryLedger {
    /// Runs the first `count` steps of an erasure, as a kill leaves it. Returns plan and steps.
    func beginErasure(
        of ids: [String], through count: Int
    ) async throws -> (plan: ErasurePlan, steps: [PersonErasure.Step]) {
        let steps = Array(PersonErasure.Step.allCases.prefix(count))
        let plan = try await session { session in
            let erasure = PersonErasure(session, now: now)
            let plan = try await erasure.plan(chains: ids.map { chain($0) }, customer: nil)
            try await erasure.carryOut(plan, TemporaryLedger.erasing, steps: steps)
            return plan
        }
        return (plan, steps)
    }

    /// A ledger of one receipt that states the chain, and its second period as another chain.
    static func receiptOfTwo(
        _ chain: MadeChain
    ) async throws -> (ledger: TemporaryLedger, second: String) {
        let ledger = try StoredReceipts.place()
        let text = String(
            decoding: chain.verifyReceipt(through: 2, at: chain.start(2)), as: UTF8.self)
        let second = chain.transactionId(1)
        let body = text.replacing(
            "\"transaction_id\":\"\(second)\",\"original_transaction_id\":\"\(chain.id)\"",
            with: "\"transaction_id\":\"\(second)\",\"original_transaction_id\":\"\(second)\"")
        #expect(body != text)
        _ = try await ledger.ingest([Array(body.utf8)])
        return (ledger, second)
    }
}
