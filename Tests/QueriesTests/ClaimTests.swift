import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Testing

@Suite("Repeated claims")
struct ClaimTests {
    private let place: TemporaryLedger
    private let chain = MadeChain()

    init() throws { place = try TemporaryLedger() }

    /// Claims the chain for one customer.
    ///
    /// - Parameter others: runs between the check of the claim and its append.
    private func claim(
        _ ledger: EnvironmentLedger, actor: String = "app",
        after others: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> CommandIntake.Claimed? {
        let now = place.now
        let intake = CommandIntake(
            ledger: ledger, clock: { now },
            appending: { (events, _) throws(StoreError) in
                do { try await others() } catch { Issue.record(error) }
                return try await ledger.log.append(events)
            })
        return try await intake.claim(
            chain.chainId, for: CustomerId("ann"), policy: .transfer, actor: actor
        ) { true }
    }

    @Test(
        "Of one claim sent twice at once, by one actor or two, one is written and both moved",
        arguments: ["old", "new"])
    func together(actor: String) async throws {
        _ = try await place.ingest([chain.bought()])
        try await place.ledger { ledger in
            let claimed = try await claim(ledger, actor: actor) {
                let first = try await claim(ledger, actor: "old")
                let written = CommandIntake.Claimed(
                    outcome: .moved, position: 2, isWritten: true)
                #expect(first == written)
            }
            #expect(claimed == CommandIntake.Claimed(outcome: .moved, position: 2))
        }
    }

    @Test("A client that used the id of a claim for something else does not prevent the claim")
    func occupied() async throws {
        let other = try TemporaryLedger()
        _ = try await other.ingest([chain.bought()])
        let id = try await other.session { session -> String? in
            _ = try await claim(session.ledger)
            _ = try await session.currentSnapshot()
            return try await session.ledger.facts.facts(of: [chain.chainId])
                .flatMap { $0.1 }.compactMap { $0.command?.id }.first
        }
        let key: String = try #require(id)
        _ = try await place.ingest([chain.bought()])
        let now = place.now
        try await place.ledger { ledger in
            let note = try await CommandIntake(ledger: ledger) { now }.run(
                .note(CustomerId("bob")), about: nil,
                CommandIntake.Order(actor: "x", reason: "r", key: key))
            #expect(note.position == 2)
            let claimed = try await claim(ledger)
            let written = CommandIntake.Claimed(outcome: .moved, position: 3, isWritten: true)
            #expect(claimed == written)
        }
    }

    @Test("A repetition of a claim that is erased meanwhile is refused; the next one is written")
    func erasedMeanwhile() async throws {
        _ = try await place.ingest([chain.bought()])
        try await place.session { session in
            let now = place.now
            let claimed = try await claim(session.ledger) {
                _ = try await claim(session.ledger)
                _ = try await PersonErasure(session, now: now).run(
                    chains: [], customer: CustomerId("ann"), TemporaryLedger.erasing)
                _ = try await session.currentSnapshot()
            }
            #expect(claimed == CommandIntake.Claimed(outcome: .refused, position: nil))
            let next = try await claim(session.ledger)
            let written = CommandIntake.Claimed(outcome: .moved, position: 4, isWritten: true)
            #expect(next == written)
        }
    }
}
