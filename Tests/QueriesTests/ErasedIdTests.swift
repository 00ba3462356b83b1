import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Simulator
import Testing

@testable import Queries

@Suite("Random ids of an erasure")
struct ErasedIdTests {
    private static let chain = MadeChain(id: "700000000000001")
    private var chain: MadeChain { ErasedIdTests.chain }

    private static let shared = SharedLedger { ledger in
        let other = MadeChain(id: "700000000000002")
        _ = try await ledger.ingest(chain.life + other.life)
        try await ledger.erase(chains: [chain.id])
    }

    /// A ledger with an erased chain and another one, and the random id of the first.
    private func erased() async throws -> (ledger: TemporaryLedger, name: String) {
        let ledger = try await ErasedIdTests.shared.copy()
        let ids = try await ledger.exportLines(.subscriptions)
            .compactMap { $0["originalTransactionId"]?.string }
        return (ledger, try #require(ids.first { $0.hasPrefix(Pseudonyms.prefix) }))
    }

    @Test("They take no decision, and no erasure")
    func refused() async throws {
        let (ledger, name) = try await erased()
        let customer = CustomerId(
            stated: Pseudonyms.prefix + String(repeating: "0a", count: 16))
        await #expect(throws: ErasureError.self) {
            try await ledger.erase(customer: customer.rawValue)
        }
        await #expect(throws: QueryError.self) {
            try await ledger.session { _ = try await $0.snapshot.chainForCommand(name) }
        }
        for action in [
            Command.Action.link(customer), .note(customer),
            .grant(customer, entitlement: "pro", until: ledger.now.advanced(byMilliseconds: 1)),
        ] {
            await #expect(throws: CommandError.self) {
                try await ledger.decide(action, ledger.chain("700000000000002"))
            }
        }
    }

    @Test("A customer id that addresses cannot contain takes nothing; what it has can be ended")
    func segments() async throws {
        let ledger = try TemporaryLedger()
        let made = MadeChain(id: "999000000001")
        _ = try await ledger.ingest([made.bought()])
        for id in [".", ".."] {
            let customer = CustomerId(id)
            for action in [Command.Action.link(customer), .note(customer)] {
                let refused = await #expect(throws: CommandError.self) {
                    try await ledger.decide(action, ledger.chain(made.id))
                }
                #expect(refused?.code == .invalidCustomer)
            }
            let none = await #expect(throws: CommandError.self) {
                try await ledger.decide(.unlink(customer), ledger.chain(made.id))
            }
            #expect(none?.code == .notLinked)
        }
        _ = try await ledger.decide(.link(CustomerId("...")), ledger.chain(made.id))
    }

    @Test("Of purchases of one time, the one of the longer id still governs afterwards")
    func governing() async throws {
        let chain = MadeChain(id: "999000000001")
        let longer = chain.renewed(1).withTransaction {
            $0.transactionId = TransactionId("1000000000001")
            $0.purchaseDate = chain.start
        }
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought(), longer])
        let before = try await ledger.timeline(chain.id)
        try await ledger.erase(chains: [chain.id])
        let lines = try await ledger.exportLines(.subscriptions)
        let name = try #require(lines.first?["originalTransactionId"]?.string)
        #expect(name.hasPrefix(Pseudonyms.prefix))
        let after = try await ledger.timeline(name)
        let ends = [before, after].map { timeline in
            timeline["intervals"]?.array?.compactMap { $0["to"]?.string }
        }
        #expect(ends[0] == ends[1] && ends[1]?.last == chain.start(2).rfc3339)
    }

    /// Lives that would change if their purchases had one id: the first would have fewer states,
    /// the second, in which one of two purchases of one time governs, the same at other times.
    private static let mergeable: [[MadeDelivery]] = {
        let chain = MadeChain(id: "700000000000001")
        let governed = chain.bought().withTransaction { $0.expiresDate = chain.start(2) }
        let governing = chain.renewed(1).withTransaction {
            $0.purchaseDate = chain.start
            $0.expiresDate = chain.start(1)
        }
        return [chain.life, [governed, governing]]
    }()

    @Test(
        "Where a life would have other states under them, nothing is erased",
        arguments: mergeable)
    func otherStates(life: [MadeDelivery]) async throws {
        // given
        var unknown = chain
        unknown.bundleId = "com.example.unknown"
        let ledger = try TemporaryLedger()
        let summary = try await ledger.ingest(life + [unknown.bought()])
        try #require(summary.quarantined == 1)
        let before = try await ledger.show(chain.id)
        try await ledger.session { session in
            let erasure = PersonErasure(
                session, now: ledger.now,
                draw: { Array(repeating: String(repeating: "0", count: 32), count: $0) })
            // when
            let error = await #expect(throws: ErasureError.self) {
                try await erasure.run(
                    chains: [ledger.chain(chain.id)], customer: nil, TemporaryLedger.erasing)
            }
            // then
            #expect(error?.code == .numbersWouldChange)
            let head = try await session.ledger.log.head().position
            #expect(head == session.head)
            let count = try await session.ledger.operations.quarantineCount()
            #expect(count == 1)
        }
        let after = try await ledger.show(chain.id)
        #expect(after == before)
    }

    @Test("Where a fact would be read back as another one, nothing is erased")
    func otherFact() async throws {
        // given
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought()])
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let plan = try await erasure.plan(chains: [ledger.chain(chain.id)], customer: nil)
            var facts = plan.facts
            // Readers clamp it.
            facts[0].fact.transaction?.originalPurchaseDate =
                Timestamp.latest.advanced(byMilliseconds: 1)
            let other = ErasurePlan(
                chains: plan.chains, customer: nil, positions: plan.positions,
                holders: plan.holders, ids: plan.ids, quarantineIds: plan.quarantineIds,
                facts: facts, through: plan.through)
            // when
            let error = await #expect(throws: ErasureError.self) {
                try await erasure.carryOut(other, TemporaryLedger.erasing)
            }
            // then
            #expect(error?.code == .numbersWouldChange)
            let head = try await session.ledger.log.head().position
            #expect(head == 1)
        }
    }

    @Test("A customer whom only a renewal info names is found, and goes with the subscription")
    func namedByRenewal() async throws {
        let chain = MadeChain(appAccountToken: "0ab11111-2222-4333-8444-555555555555")
        let customer = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
        var changed = chain.notification(
            .didChangeRenewalPref, .downgrade, 0,
            at: chain.start.advanced(byMilliseconds: 86_400_000))
        if case .notification(let payload, let transaction, var renewal?) = changed.evidence {
            renewal.appAccountToken = customer.uppercased()
            changed.evidence = .notification(payload, transaction, renewal)
        }
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought(), changed])
        let found = try await ledger.session { try await $0.snapshot.search(customer) }
        #expect(found.matches.map(\.kind) == [.customer])
        // It is another customer's.
        let refused = await #expect(throws: ErasureError.self) {
            try await ledger.erase(customer: customer)
        }
        #expect(refused?.code == .heldByAnother)
        let receipt = try await ledger.erase(chains: [chain.id], customer: customer)
        #expect(receipt.plan?.positions == [1, 2])
        #expect(try ledger.files(holding: [customer, customer.uppercased()]).isEmpty)
        let isSound = try await ledger.isSound()
        #expect(isSound)
    }

    @Test("An app's own id that begins like one is a customer's")
    func alike() async throws {
        let (ledger, _) = try await erased()
        let customer = CustomerId(stated: "erased-bob")
        try await ledger.decide(.link(customer), ledger.chain("700000000000002"))
        try await ledger.erase(customer: customer.rawValue)
        #expect(try ledger.files(holding: [customer.rawValue]).isEmpty)
    }

    @Test("A link that an earlier release accepted goes with its customer, and the life stays")
    func linkedBefore() async throws {
        let (ledger, name) = try await erased()
        let before = try await ledger.timeline(name)["intervals"]
        let linked = try await ledger.decide(
            .link(CustomerId(stated: "foo")), ledger.chain(name))
        #expect(try !ledger.files(holding: ["foo"]).isEmpty)
        let receipt = try await ledger.erase(customer: "foo")
        #expect(receipt.plan?.positions == [linked.position])
        #expect(try ledger.files(holding: ["foo"]).isEmpty)
        #expect(try await ledger.timeline(name)["intervals"] == before)
        #expect(try await ledger.isSound())
    }
}
