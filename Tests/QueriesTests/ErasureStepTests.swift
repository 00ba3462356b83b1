import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Simulator
import TestSupport
import Testing

@Suite("Erasure of a person, interrupted or too large")
struct ErasureStepTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "540000000000001")

    /// Eight events of two chains, and a quarantined input about the first.
    private func filled() async throws -> TemporaryLedger {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(zip(chain.life, other.life).flatMap { [$0, $1] })
        var mine = chain
        mine.bundleId = "com.example.unknown"
        #expect(try await ledger.ingest([mine.bought()]).quarantined == 1)
        return ledger
    }

    private var ids: [String] {
        [chain.id] + (0...2).flatMap { [chain.transactionId($0), "6\(chain.transactionId($0))"] }
    }

    @Test(
        "Stopped after any call of the stores: undone or done, and the same order finishes it",
        arguments: 0...PersonErasure.Step.allCases.count)
    func stopped(after calls: Int) async throws {
        let ledger = try await filled()
        let before = try await ledger.show(chain.id)
        let steps = Array(PersonErasure.Step.allCases.prefix(calls))
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let plan = try await erasure.plan(chains: [ledger.chain(chain.id)], customer: nil)
            try await erasure.carryOut(plan, TemporaryLedger.erasing, steps: steps)
        }
        let isErased = steps.contains(.log)
        if isErased {
            await #expect(throws: QueryError.self) { try await ledger.show(chain.id) }
        } else {
            #expect(try await ledger.show(chain.id) == before)
        }
        #expect(try await ledger.isSound())
        let receipt = try await ledger.erase(chains: [chain.id])
        #expect(receipt.position == 9)
        #expect((receipt.plan == nil) == isErased)
        #expect(try ledger.files(holding: ids).isEmpty)
        #expect(try await ledger.isSound())
        #expect(try await ledger.exportLines(.subscriptions).count == 2)
        let count = try await ledger.ledger { try await $0.operations.quarantineCount() }
        #expect(count == 0)
    }

    /// Erases with a bound; returns the size of the erasure.
    private func erase(_ ledger: TemporaryLedger, upTo bound: Int) async throws -> Int {
        try await ledger.session { session in
            var erasure = PersonErasure(session, now: ledger.now)
            erasure.maximumByteCount = bound
            let receipt = try await erasure.run(
                chains: [ledger.chain(chain.id)], customer: nil, TemporaryLedger.erasing)
            let event = try #require(try await session.ledger.log.event(at: receipt.position))
            return try #require(try event.originalBytes()).count
        }
    }

    @Test("What fits into one event exactly is erased; one byte more, and nothing is changed")
    func tooLarge() async throws {
        // Random ids have one length, so that every run makes an erasure of the same size.
        let size = try await erase(try await filled(), upTo: LogLimits.evidenceByteCount)
        #expect(try await erase(try await filled(), upTo: size) == size)
        let ledger = try await filled()
        let before = try await ledger.show(chain.id)
        let error = await #expect(throws: ErasureError.self) {
            _ = try await erase(ledger, upTo: size - 1)
        }
        #expect(error?.code == .erasureTooLarge)
        #expect(try await ledger.show(chain.id) == before)
        let count = try await ledger.ledger { try await $0.operations.quarantineCount() }
        #expect(count == 1)
        // The command's bound is what one event of the log takes.
        let usual = try await ledger.session {
            PersonErasure($0, now: ledger.now).maximumByteCount
        }
        #expect(usual == LogLimits.evidenceByteCount)
    }
}
