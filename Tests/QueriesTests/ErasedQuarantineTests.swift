import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Signing
import Simulator
import TestSupport
import Testing

@Suite("Quarantined inputs beside an erasure")
struct ErasedQuarantineTests {
    private static let token = "0ab11111-2222-4333-8444-555555555555"
    private let chain = MadeChain(appAccountToken: ErasedQuarantineTests.token)

    /// How many quarantined inputs of these an erasure leaves, by chain or by customer.
    private func left(_ more: [MadeDelivery], byCustomer: Bool) async throws -> Int {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life + more)
        if byCustomer {
            try await ledger.erase(customer: ErasedQuarantineTests.token)
        } else {
            try await ledger.erase(chains: [chain.id])
        }
        return try await ledger.ledger { try await $0.operations.quarantineCount() }
    }

    @Test("What names another subscription of the customer goes with the customer alone")
    func otherSubscription() async throws {
        let other = MadeChain(
            id: "540000000000002", bundleId: "com.example.unknown",
            appAccountToken: ErasedQuarantineTests.token)
        #expect(try await left([other.bought()], byCustomer: false) == 1)
        #expect(try await left([other.bought()], byCustomer: true) == 0)
    }

    @Test("The webOrderLineItemId 0, which Apple states where it has none, connects no purchases")
    func unnamedItem() async throws {
        let other = MadeChain(id: "540000000000002", bundleId: "com.example.unknown")
        let unnamed = [chain.renewed(3), other.bought()].map { delivery in
            delivery.withTransaction { $0.webOrderLineItemId = WebOrderLineItemId("0") }
        }
        for byCustomer in [false, true] {
            #expect(try await left(unnamed, byCustomer: byCustomer) == 1)
        }
    }

    @Test("The transaction 0, Xcode's first, is erased like others")
    func firstOfXcode() async throws {
        let chain = MadeChain(id: "0")
        // It has no other id in common with the chain.
        let other = MadeChain(id: "0", bundleId: "com.example.unknown", start: chain.start(1))
            .bought().withTransaction { $0.webOrderLineItemId = nil }
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life + [other])
        let count = try await ledger.ledger { try await $0.operations.quarantineCount() }
        #expect(count == 1)
        try await ledger.erase(chains: [chain.id])
        let left = try await ledger.ledger { try await $0.operations.quarantineCount() }
        #expect(left == 0)
    }

    @Test("A receipt that was cut goes with the subscription that it names, and with no other")
    func cutReceipt() async throws {
        // given
        let contents = ReceiptContents(
            type: .production, bundleId: chain.bundleId, creationDate: chain.start(1),
            purchases: [
                ReceiptContents.subscription(
                    productId: chain.product, transactionId: chain.id,
                    originalTransactionId: chain.id, purchaseDate: chain.start,
                    expiresDate: chain.start(1))
            ])
        let cut = Array(try TestAuthority.receipts.sign(contents).dropLast(200))
        // Its id begins the other one.
        let other = MadeChain(id: String(chain.id.dropLast()))
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([chain.bought(), other.bought()])
        for input in [cut, Base64.standard.encode(cut)] {
            let refused = try await ledger.ingest(file: input)
            #expect(refused.errors.map(\.code) == ["malformedReceipt"])
        }
        // Where both forms are one input, it is kept once.
        let kept = try await ledger.ledger { try await $0.operations.quarantineCount() }
        #expect(kept > 0)
        for (erased, count) in [(other, kept), (chain, 0)] {
            // when
            try await ledger.erase(chains: [erased.id])
            // then
            let left = try await ledger.ledger { try await $0.operations.quarantineCount() }
            #expect(left == count)
        }
    }

    // MARK: Persons whom the log does not know

    private static let other = MadeChain(id: "540000000000003")

    /// Four events of another chain, and one quarantined input that names the chain and its
    /// customer.
    private static let unaccepted = SharedLedger { ledger in
        let foreign = MadeChain(
            bundleId: "com.example.unknown", appAccountToken: ErasedQuarantineTests.token)
        let summary = try await ledger.ingest(other.life + [foreign.bought()])
        try #require(summary.quarantined == 1)
    }

    private func state(_ ledger: TemporaryLedger) async throws -> (end: Int64, kept: Int) {
        try await ledger.ledger { opened in
            let end = try await opened.log.head().position
            return (end, try await opened.operations.quarantineCount())
        }
    }

    @Test(
        "Who is known only from quarantine is erased from it, once, by an event without positions",
        arguments: [true, false])
    func unaccepted(byCustomer: Bool) async throws {
        let ledger = try await Self.unaccepted.copy()
        let (chains, customer) = byCustomer ? ([], Self.token) : ([chain.id], nil)
        let before = try await ledger.show(Self.other.id)
        // when
        let plan = try await ledger.session { session in
            try await PersonErasure(session, now: ledger.now).plan(
                chains: chains.map { ledger.chain($0) },
                customer: customer.map { CustomerId(stated: $0) })
        }
        // then
        #expect(plan.positions.isEmpty && plan.quarantinedCount == 1)
        #expect(plan.text.contains("\n1 quarantined input would be removed\n"))
        let planned = try JSONValue.parse(JSONWriter.object { plan.writeMembers(to: &$0) })
        #expect(planned["positions"]?.array == [] && planned["quarantined"]?.int64 == 1)
        #expect(try await state(ledger) == (4, 1))
        // when
        let receipt = try await ledger.erase(chains: chains, customer: customer)
        // then
        #expect(receipt.position == 5 && receipt.plan?.quarantinedCount == 1)
        #expect(receipt.text.contains("removed 1 quarantined input\n"))
        #expect(try await state(ledger) == (5, 0))
        #expect(try ledger.files(holding: [chain.id, Self.token]).isEmpty)
        #expect(try await ledger.isSound())
        let after = try await ledger.show(Self.other.id)
        #expect(after.without("position") == before.without("position"))
        // The same order finds it; what comes in later under the ids is a new life.
        let again = try await ledger.erase(chains: chains, customer: customer)
        #expect(again.position == 5 && again.plan == nil)
        _ = try await ledger.ingest(chain.life)
        let show = try await ledger.show(chain.id)
        #expect(show.noticeCodes.contains("erasedBefore") == !byCustomer)
        #expect(try await ledger.isSound())
    }

    @Test(
        "Stopped after any step, the same order finishes it",
        arguments: 0...PersonErasure.Step.allCases.count)
    func stopped(after calls: Int) async throws {
        let ledger = try await Self.unaccepted.copy()
        let (_, steps) = try await ledger.beginErasure(of: [chain.id], through: calls)
        // Until the log has erased, nothing is removed that only the first order would know.
        let isErased = steps.contains(.log)
        let (end, kept) = try await state(ledger)
        #expect(end == (isErased ? 5 : 4) && (isErased || kept == 1))
        let receipt = try await ledger.erase(chains: [chain.id])
        #expect(receipt.position == 5 && (receipt.plan == nil) == isErased)
        #expect(try ledger.files(holding: [chain.id, Self.token]).isEmpty)
        #expect(try await ledger.isSound())
    }

    @Test(
        "Beside a chain of the log, too, the same order finishes it after any step",
        arguments: 0...PersonErasure.Step.allCases.count)
    func besideLogged(after calls: Int) async throws {
        let ledger = try await Self.unaccepted.copy()
        let ids = [chain.id, Self.other.id]
        let (plan, _) = try await ledger.beginErasure(of: ids, through: calls)
        #expect(plan.positions.count == 4 && plan.quarantinedCount == 1)
        try await ledger.session { session in
            let found = try await PersonErasure(session, now: ledger.now).chains(
                named: ids, by: session.snapshot, bundleId: nil, nil)
            #expect(found.found == ids.map { ledger.chain($0) })
        }
        try await ledger.erase(chains: ids)
        #expect(try await state(ledger) == (5, 0))
        #expect(try ledger.files(holding: ids).isEmpty)
        #expect(try await ledger.isSound())
    }

    @Test("Words of an input that are no ids of a person or a purchase name no input")
    func words() async throws {
        let ledger = try await Self.unaccepted.copy()
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            for id in ["com.example.unknown", "SUBSCRIBED", "INITIAL_BUY", Self.token] {
                let found = try? await erasure.chains(
                    named: [id], by: session.snapshot, bundleId: nil, nil)
                #expect(found == nil, "\(id)")
            }
            for id in ["com.example.unknown", "production", "subscribed", "initial_buy"] {
                await #expect(throws: ErasureError.self, "\(id)") {
                    try await erasure.plan(chains: [], customer: CustomerId(stated: id))
                }
            }
        }
    }

    @Test("An id that quarantine alone names is that of a chain only where the app is known")
    func namedInQuarantine() async throws {
        let app = BundleId(MadeChain.app)
        let second = "com.example.second"
        for (apps, bundleId, isFound) in [
            ([MadeChain.app], nil, true), ([MadeChain.app, second], nil, false),
            ([MadeChain.app, second], app, true),
        ] as [([String], BundleId?, Bool)] {
            let ledger = try TemporaryLedger(apps: apps)
            let foreign = MadeChain(bundleId: "com.example.unknown")
            _ = try await ledger.ingest([foreign.bought()])
            try await ledger.session { session in
                let erasure = PersonErasure(session, now: ledger.now)
                for id in [chain.id, "540000000000009"] {
                    let found = try? await erasure.chains(
                        named: [id], by: session.snapshot, bundleId: bundleId, nil
                    ).found
                    let expected = isFound && id == chain.id ? [ledger.chain(id)] : nil
                    #expect(found == expected, "\(apps) \(id)")
                }
            }
        }
    }

    @Test("Receivers get the digest of a chain that only quarantine named")
    func change() async throws {
        let ledger = try await Self.unaccepted.copy()
        try await ledger.erase(chains: [chain.id])
        let types = try await ledger.session { session in
            let reader = ChangeReader(ledger: session.ledger)
            var (found, cursor): ([String?], ChangePlace) = ([], .beginning)
            while true {
                let page = try await reader.page(after: cursor, through: session.head)
                found += try page.changes.map { try JSONValue.parse($0.body())["type"]?.string }
                cursor = page.next
                guard !page.isEnd else { return found }
            }
        }
        #expect(types.count { $0 == "chain.erased" } == 1)
    }
}
