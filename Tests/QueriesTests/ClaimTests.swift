import AppStore
import Intake
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
        _ ledger: EnvironmentLedger, for customer: CustomerId = CustomerId("ann"),
        _ policy: ClaimPolicy = .transfer, actor: String = "app",
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
            chain.chainId, for: customer, policy: policy, actor: actor
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

    @Test("A claim that another's link replaced is made anew without it, one that was undone never")
    func linkedByMistake() async throws {
        _ = try await place.ingest([chain.bought()])
        let (ann, bob) = (CustomerId("ann"), CustomerId("bob"))
        let steps: [([Command.Action], CommandIntake.Claimed)] = [
            ([], .init(outcome: .moved, position: 2, isWritten: true)),
            ([.link(bob), .unlink(bob)], .init(outcome: .moved, position: 5, isWritten: true)),
            ([.unlink(ann)], .init(outcome: .refused, position: nil)),
            ([.link(bob), .unlink(bob)], .init(outcome: .refused, position: nil)),
            ([.link(ann), .unlink(ann)], .init(outcome: .moved, position: 11, isWritten: true)),
            // The link of another customer corrected by one of the claimant.
            (
                [.link(bob), .link(ann), .unlink(ann)],
                .init(outcome: .moved, position: 15, isWritten: true)
            ),
        ]
        for (decisions, expected) in steps {
            for decision in decisions { try await place.decide(decision, chain.chainId) }
            let claimed = try await place.ledger { try await claim($0) }
            #expect(claimed == expected)
        }
    }

    @Test("A claim that took the chain from another is not made again once it was undone")
    func undoneAfterTransfer() async throws {
        _ = try await place.ingest([chain.bought()])
        let bob = CustomerId("bob")
        for customer in [CustomerId("ann"), bob] {
            let claimed = try await place.ledger { try await claim($0, for: customer) }
            #expect(claimed?.outcome == .moved)
        }
        try await place.decide(.unlink(bob), chain.chainId)
        let again = try await place.ledger { try await claim($0, for: bob) }
        #expect(again == CommandIntake.Claimed(outcome: .refused, position: nil))
        // The other claim was not undone.
        let other = try await place.ledger { try await claim($0) }
        #expect(other == CommandIntake.Claimed(outcome: .moved, position: 5, isWritten: true))
    }

    @Test("The token's customer, beside whom a claim was added, cannot be unlinked")
    func tokenBesideClaim() async throws {
        let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
        _ = try await place.ingest([chain.bought().withTransaction { $0.appAccountToken = token }])
        let claimed = try await place.ledger { try await claim($0, .share) }
        #expect(claimed?.outcome == .added)
        let refused = await #expect(throws: CommandError.self) {
            try await place.decide(.unlink(CustomerId(token)), chain.chainId)
        }
        #expect(refused?.code == .notLinked)
        let undone = try await place.decide(.unlink(CustomerId("ann")), chain.chainId)
        #expect(undone.position == 3)
        // Another event states the token of the same purchase.
        let restated = try await place.ingest([
            chain.turnedOff(0).withTransaction { $0.appAccountToken = token }
        ])
        #expect(restated.appended == 1)
        let again = try await place.ledger { try await claim($0, .share) }
        #expect(again == CommandIntake.Claimed(outcome: .refused, position: nil))
    }

    @Test("A claim of an earlier release beside a token is not made again once it was undone")
    func formerId() async throws {
        // given
        let ann = CustomerId("ann")
        _ = try await place.ingest([
            chain.bought().withTransaction {
                $0.appAccountToken = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
            }
        ])
        // Its id named the token's customer by the event that stated the token.
        let parts = [chain.bundleId, chain.id, "ann", ClaimPolicy.share.rawValue, "1"]
        let key = "claim-\(EventKey.make(.command, parts).hexadecimal)"
        let stored = try await place.decide(
            .claim(ann, policy: .share), chain.chainId, key: key, actor: "app",
            reason: "Uploaded a transaction of it.")
        #expect(stored.position == 2)
        try await place.decide(.unlink(ann), chain.chainId)
        // when
        let again = try await place.ledger { try await claim($0, .share) }
        // then
        #expect(again == CommandIntake.Claimed(outcome: .refused, position: nil))
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
