import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §3: the kinds of product change.
@Suite("§3: upgraded, downgraded, crossgraded")
struct ProductChangeTests {
    private func product(_ id: String, _ fact: Fact) -> Fact {
        fact.transaction { $0.productId = ProductId(id) }
    }

    private func catalogue(_ levels: [String: Int]) -> Catalogue {
        Catalogue(
            products: Dictionary(
                uniqueKeysWithValues: levels.map { (ProductId($0.key), .init(level: $0.value)) }))
    }

    private let changes: Set<TimelineEventName> = [.upgraded, .downgraded, .crossgraded]

    private func changes(_ life: Lifecycle) -> [TimelineEvent] {
        life.timelineEvents.filter { changes.contains($0.name) }
    }

    @Test(
        "The catalogue's levels decide, 1 being the highest",
        arguments: [(1, .upgraded), (2, .crossgraded), (3, .downgraded)]
            as [(Int, TimelineEventName)])
    func levels(_ level: Int, _ expected: TimelineEventName) {
        let life = given(
            product("a", .subscribed("1", day(0), day(30))),
            product("b", .didRenew("2", day(30), day(60), at: day(31))),
            catalogue: catalogue(["a": 2, "b": level]))
        #expect(changes(life).map(\.name) == [expected])
        // Not when its evidence was signed.
        #expect(changes(life).map(\.at) == [day(30)])
        #expect(changes(life).map(\.productId) == [ProductId("b")])
    }

    @Test("Without levels: immediate is an upgrade, at the renewal a downgrade")
    func withoutLevels() {
        let first = product("a", .subscribed("1", day(0), day(30)))
        #expect(
            changes(given(first, product("b", .didRenew("2", day(10), day(40))))).map(\.name)
                == [.upgraded])
        #expect(
            changes(given(first, product("b", .didRenew("2", day(30), day(60))))).map(\.name)
                == [.downgraded])
    }

    @Test("A change at a recovery from retry is one")
    func recovered() {
        let life = given(
            product("a", .subscribed("1", day(0), day(30))), .didFailToRenew(at: day(30)),
            product("b", .didRenew("2", day(40), day(70), .billingRecovery)))
        #expect(changes(life).map(\.name) == [.downgraded])
    }

    @Test("Without levels: a purchase in grace is an upgrade, whichever fact states it first")
    func boughtInGrace() {
        let upgrade = product(
            "b", .notification(.didChangeRenewalPref, "2", day(32), day(62), subtype: .upgrade))
        let purchase = upgrade.transaction { $0.transactionReason = Raw(.purchase) }
        let upload = product(
            "b", .transaction("2", day(32), day(62), at: day(32, -second))
        ).transaction { $0.transactionReason = Raw(.purchase) }
        func names(_ more: Fact...) -> [TimelineEventName] {
            let failed = Fact.didFailToRenew(at: day(30), grace: day(36))
            let first = product("a", .subscribed("1", day(0), day(30)))
            return changes(given([first, failed] + more)).map(\.name)
        }
        #expect(names(purchase) == [.upgraded])
        #expect(names(upload, purchase) == [.upgraded])
        // The subtype decides only where no reason is stated.
        #expect(names(upgrade) == [.upgraded])
        let renewal = upgrade.transaction { $0.transactionReason = Raw(.renewal) }
        #expect(names(renewal) == [.downgraded])
    }

    @Test("Without levels: a purchase in billing retry is an upgrade")
    func boughtInRetry() {
        let life = given(
            product("a", .subscribed("1", day(0), day(30))), .didFailToRenew(at: day(30)),
            product("b", .resubscribed("2", day(40), day(70))))
        #expect(changes(life).map(\.name) == [.upgraded])
    }

    @Test("A pending change that a renewal made is not cancelled by the change back")
    func madeAndChangedBack() {
        func plan(_ type: Subtype, to next: String, at moment: Timestamp) -> Fact {
            .notification(.didChangeRenewalPref, type, at: moment).renewal {
                $0.productId = ProductId("a")
                $0.autoRenewProductId = ProductId(next)
            }
        }
        func events(_ renewed: String) -> [TimelineEventName] {
            let renewal = product(
                renewed, .transaction("2", day(30), day(60), at: day(30))
            ).transaction { $0.transactionReason = Raw(.renewal) }
            let life = given(
                product("a", .subscribed("1", day(0), day(30))),
                plan(.downgrade, to: "b", at: day(5)), renewal, plan(.upgrade, to: "a", at: day(40))
            )
            return life.timelineEvents.map(\.name)
        }
        #expect(events("b") == [.productChangeScheduled, .downgraded, .renewed])
        #expect(events("a") == [.productChangeScheduled, .renewed, .productChangeCancelled])
    }
}
