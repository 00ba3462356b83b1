import AppStore
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Signing
import Simulator
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
}
