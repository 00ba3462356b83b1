import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Simulator
import Testing

/// What an erasure may hold, as a dry run and an order find it.
@Suite("Bounds of an erasure")
struct ErasureBoundTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "540000000000001")

    private func ledger(of lines: [MadeDelivery]) async throws -> TemporaryLedger {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(lines)
        return ledger
    }

    /// The outcome of a dry run, or of an order, with these bounds: the size of the event, 0 for a
    /// dry run.
    private func erase(
        _ ledger: TemporaryLedger, _ order: CommandIntake.Order?, chains: [MadeChain],
        bytes: Int = LogLimits.evidenceByteCount, facts: Int = 50_000
    ) async throws -> Int {
        try await ledger.session { session in
            var erasure = PersonErasure(session, now: ledger.now)
            #expect(erasure.maximumFactCount == 50_000)
            (erasure.maximumByteCount, erasure.maximumFactCount) = (bytes, facts)
            let chains = chains.map { ledger.chain($0.id) }
            guard let order else {
                _ = try await erasure.plan(chains: chains, customer: nil)
                return 0
            }
            let receipt = try await erasure.run(chains: chains, customer: nil, order)
            let event = try #require(try await session.ledger.log.event(at: receipt.position))
            return try #require(try event.originalBytes()).count
        }
    }

    private func message(_ body: () async throws -> Int) async -> String? {
        let error = await #expect(throws: ErasureError.self) { _ = try await body() }
        #expect(error?.code == .erasureTooLarge)
        return error?.message
    }

    @Test("A dry run refuses what an order with the longest texts would, and nothing else")
    func dryRun() async throws {
        let longest = PersonErasure.longestOrder
        let size = try await erase(
            try await ledger(of: chain.life), longest, chains: [chain])
        let ledger = try await ledger(of: chain.life)
        let refusal = await message {
            try await erase(ledger, nil, chains: [chain], bytes: size - 1)
        }
        let text = try #require(refusal)
        #expect(text.hasPrefix("What 4 events state, 4 facts, does not fit"), "\(text)")
        #expect(text.contains("\(size - 1) bytes and 50000 facts"), "\(text)")
        _ = try await erase(ledger, nil, chains: [chain], bytes: size)
        #expect(try await erase(ledger, longest, chains: [chain], bytes: size) == size)
    }

    @Test("More facts than the bound are refused, in a dry run and in an order")
    func facts() async throws {
        let ledger = try await ledger(of: chain.life)
        for order in [nil, TemporaryLedger.erasing] {
            _ = await message { try await erase(ledger, order, chains: [chain], facts: 3) }
            _ = try await erase(ledger, order, chains: [chain], facts: 4)
        }
    }

    @Test("Only chains that no receipt states together are to be erased one by one")
    func remedy() async throws {
        let remedy = "Erase the customer's chains one by one"
        let two = try await ledger(of: chain.life + other.life)
        let divisible = await message {
            try await erase(two, nil, chains: [chain, other], facts: 7)
        }
        #expect(divisible?.contains(remedy) == true)
        let one = await message { try await erase(two, nil, chains: [chain], facts: 3) }
        #expect(one?.contains(remedy) == false)
        let (place, _) = try await TemporaryLedger.receiptOfTwo(chain)
        let together = await message { try await erase(place, nil, chains: [chain], facts: 2) }
        #expect(together?.contains(remedy) == false)
    }
}
