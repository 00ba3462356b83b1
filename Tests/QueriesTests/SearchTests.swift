import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Testing

@Suite("Search by id")
struct SearchTests {
    private let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    private func chain(_ id: String, app: String = MadeChain.app, token: String? = nil) -> MadeChain
    {
        MadeChain(id: id, bundleId: app, appAccountToken: token)
    }

    /// Searches a ledger of these chains, each bought and renewed.
    private func search(
        _ chains: [MadeChain], _ body: (LedgerSnapshot) async throws -> Void
    ) async throws {
        var place = try TemporaryLedger()
        place.configuration.apps = Set(chains.map(\.bundleId)).sorted().map {
            Configuration.App(bundleId: BundleId($0), appAppleId: MadeChain.appAppleId)
        }
        _ = try await place.ingest(chains.flatMap { [$0.bought(), $0.renewed(1)] })
        try await place.session { session in try await body(session.snapshot) }
    }

    @Test("A text that is empty or too long is refused")
    func refused() async throws {
        let longest = String(repeating: "x", count: SearchLimits.textByteCount)
        try await search([]) { state in
            for text in ["", " ", "\n\t", longest + "x"] {
                let failure = await #expect(throws: SearchError.self) {
                    _ = try await state.search(text)
                }
                #expect(failure?.code == "invalidParameter")
            }
            let answer = try await state.search("  \(longest)\n")
            #expect(answer.text == longest)
        }
        #expect(SearchLimits.textByteCount == 256)
    }

    @Test("Markup, wildcards, statements and directions of writing find nothing and harm nothing")
    func harmless() async throws {
        let texts = [
            "%", "_", "50%", "*", "'; DROP TABLE holdings; --", "<script>alert(1)</script>",
            "\u{202E}000000000005", "\u{0}", "#", "#0", "#-1", "#x", "#99", "#01",
            "#9223372036854775808", "𝟓00",
        ]
        try await search([chain("500000000000001", token: token)]) { state in
            for text in texts {
                let answer = try await state.search(text)
                #expect(
                    answer.matches.isEmpty && !answer.isExact && !answer.hasMore, "\(text)")
            }
        }
    }

    @Test("Exact ids: customer, chain, transaction, position, notificationUUID, in any case")
    func exact() async throws {
        let bought = chain("500000000000001", token: token)
        try await search([bought, chain("5000000000000011", app: "com.example.second")]) { state in
            let customer = try await state.search(token.uppercased())
            #expect(customer.isExact)
            #expect(customer.matches.map(\.kind) == [.customer])
            #expect(customer.matches.first?.customer == CustomerId(token))
            // A chain of one app, and a later transaction of another app's chain.
            let both = try await state.search(bought.transactionId(1))
            #expect(both.matches.map(\.kind) == [.subscription, .transaction])
            #expect(both.matches[1].chain?.originalTransactionId.rawValue == bought.id)
            let own = try await state.search(
                bought.transactionId(1), bundleId: BundleId(MadeChain.app))
            #expect(own.matches.map(\.kind) == [.transaction])
            let first = try await state.search(bought.id)
            #expect(first.matches.map(\.kind) == [.subscription] && first.isExact)
            let event = try await state.search("#1")
            #expect(event.matches.map(\.position) == [1] && event.matches.first?.kind == .event)
            let other = try await state.search("#1", bundleId: BundleId("com.example.second"))
            #expect(other.matches.isEmpty)
        }
    }

    @Test("A chain by the webOrderLineItemId of a purchase, or its beginning")
    func orderLine() async throws {
        let bought = chain("500000000000001")
        let other = chain("500000000000099", app: "com.example.second")
        try await search([bought, other]) { state in
            let line = "6\(bought.transactionId(1))"
            let found = try await state.search(line)
            #expect(found.isExact && found.matches.map(\.kind) == [.webOrderLineItem])
            #expect(found.matches.first?.id == line)
            #expect(found.matches.first?.chain?.originalTransactionId.rawValue == bought.id)
            let elsewhere = try await state.search(
                line, bundleId: BundleId("com.example.second"))
            #expect(elsewhere.matches.isEmpty)
            let begun = try await state.search("60")
            #expect(begun.matches.isEmpty)
            let all = try await state.search("6")
            #expect(!all.isExact && all.matches.allSatisfy { $0.kind == .webOrderLineItem })
            #expect(all.matches.count == 4)
        }
    }

    @Test("Apple's webOrderLineItemId 0 names nothing")
    func noOrderLine() async throws {
        let place = try TemporaryLedger()
        _ = try await place.ingest([
            chain("500000000000001").bought().withTransaction {
                $0.webOrderLineItemId = WebOrderLineItemId("0")
            }
        ])
        try await place.session { session in
            let answer = try await session.snapshot.search("0")
            #expect(answer.matches.isEmpty)
        }
    }

    @Test("An event by its notificationUUID")
    func notification() async throws {
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain("500000000000001").bought()])
        try await place.session { session in
            let event = try #require(try await session.ledger.log.event(at: 1)?.event)
            let uuid = try #require(event.attributes.notificationUUID?.rawValue)
            let answer = try await session.snapshot.search(uuid)
            #expect(answer.matches.map(\.kind) == [.notification])
            #expect(answer.matches.first?.position == 1)
            #expect(answer.matches.first?.chain?.originalTransactionId == event.attributes.chain)
        }
    }

    @Test("Without an exact id, at most twenty whose ids begin with the text")
    func beginning() async throws {
        let chains = (10..<31).map { chain("7000000000000\($0)", token: nil) }
        try await search(chains) { state in
            let none = try await state.search("71")
            #expect(none.matches.isEmpty && !none.hasMore)
            let all = try await state.search("70")
            #expect(!all.isExact && all.hasMore)
            #expect(all.matches.count == SearchLimits.matchCount)
            #expect(all.matches.allSatisfy { $0.kind == .subscription })
            #expect(all.matches.map(\.id) == chains.prefix(20).map(\.id))
            let some = try await state.search("70000000000001")
            #expect(some.matches.count { $0.kind == .subscription } == 10)
            #expect(some.matches.count { $0.kind == .transaction } == 10)
            let other = try await state.search("70", bundleId: BundleId("com.example.second"))
            #expect(other.matches.isEmpty)
        }
        try await search([chain("500000000000001", token: token)]) { state in
            let customer = try await state.search("F3A86f0d-52be")
            #expect(customer.matches.map(\.customer) == [CustomerId(token)])
            #expect(!customer.isExact)
        }
    }

    @Test("What may be an order id")
    func orders() async throws {
        let texts = [
            ("MK5TQL0XYZ", true), ("mk5tql0xyz", true), ("MK5TQL0XY", false),
            ("NK5TQL0XYZ", false), ("MK5TQL0XY-", false),
            ("M" + String(repeating: "A", count: 31), true),
            ("M" + String(repeating: "A", count: 32), false), ("MK5TQL0XYÄ", false),
        ]
        try await search([]) { state in
            for (text, isOrder) in texts {
                let answer = try await state.search(text)
                #expect(answer.mayBeOrderId == isOrder, "\(text)")
            }
        }
    }
}
