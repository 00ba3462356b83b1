import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §6: a customer's entitlements.
@Suite("Entitlements of a customer")
struct EntitlementTests {
    private let ann = CustomerId("ann")
    private let bought = Fact.subscribed("1", day(0), day(30)).token("ann")

    private static let catalogue = Catalogue(
        products: [
            ProductId("pro.monthly"): Catalogue.Product(
                entitlements: ["pro", "cloud"], group: "main"),
            ProductId("pro.yearly"): Catalogue.Product(entitlements: ["pro"], group: "main"),
            ProductId("basic"): Catalogue.Product(entitlements: ["basic"], group: "main"),
            ProductId("nothing"): Catalogue.Product(entitlements: []),
        ])

    /// Chains named by their index, from "1".
    private func asked(
        _ at: Timestamp, _ chains: [Fact]..., grants: [Grant] = [],
        catalogue: Catalogue = EntitlementTests.catalogue
    ) -> Entitlements {
        let holdings = chains.enumerated().map { index, facts in
            given(facts, catalogue: catalogue).holding(
                of: ann,
                chain: ChainId(
                    bundleId: BundleId("app"),
                    originalTransactionId: OriginalTransactionId("\(index + 1)")))
        }
        return Entitlements(at: at, holdings: holdings, grants: grants, catalogue: catalogue)
    }

    private func verdict(_ found: Entitlements, _ name: String = "pro") throws -> Verdict {
        try #require(found.verdicts.first { $0.entitlement == name })
    }

    @Test("Another's chain, a consumable and a chain not yet begun give nothing")
    func others() {
        let consumable = Fact.subscribed("1", day(0), day(30)).token("ann").transaction {
            $0.type = Raw(.consumable)
            $0.expiresDate = nil
        }
        for facts in [[bought.token("bob")], [consumable], [bought]] {
            let at = facts[0] == bought ? day(0, -1) : day(1)
            #expect(asked(at, facts).standing == .new)
            #expect(asked(at, facts).products.isEmpty)
        }
    }

    // MARK: Verdicts

    @Test("A running period gives every entitlement of its product, until its end")
    func period() throws {
        let found = asked(day(1), [bought])
        #expect(found.verdicts.map(\.entitlement) == ["cloud", "pro"])
        let pro = try verdict(found)
        #expect(pro.active && pro.basis == .period && pro.state == .subscribed)
        #expect(pro.since == day(0) && pro.until == day(30))
        #expect(pro.originalTransactionId?.rawValue == "1")
        #expect(pro.evidence == [1])
        #expect(found.standing == .active)
        #expect(found.groups.map(\.group) == ["main"])
    }

    @Test("An unlisted product grants its own name, a product without entitlements none")
    func unknownProduct() {
        func facts(_ product: String) -> [Fact] {
            [bought.transaction { $0.productId = ProductId(product) }]
        }
        #expect(asked(day(1), facts("x")).verdicts.map(\.entitlement) == ["x"])
        #expect(asked(day(1), facts("nothing")).verdicts.isEmpty)
        #expect(asked(day(1), facts("nothing")).standing == .active)
    }

    @Test("After the end the state is expired and the standing inactive")
    func expired() throws {
        let found = asked(day(31), [bought, .expired(at: day(30))])
        let pro = try verdict(found)
        #expect(!pro.active && pro.basis == nil && pro.state == .expired)
        #expect(pro.since == day(30) && pro.until == nil)
        #expect(found.standing == .inactive)
        #expect(found.products.map(\.standing) == [.inactive])
    }

    @Test("Grace gives access, billing retry does not")
    func failing() throws {
        let facts = [bought, .didFailToRenew(at: day(30), grace: day(36))]
        let grace = try verdict(asked(day(35), facts))
        #expect(grace.active && grace.basis == .grace && grace.until == day(36))
        let retry = try verdict(asked(day(36), facts))
        #expect(!retry.active && retry.state == .billingRetry)
        #expect(asked(day(36), facts).standing == .inactive)
    }

    @Test("A refund and a family copy that is no longer shared make it inactive")
    func revoked() throws {
        for type in [RevocationType.refundFull, .familyRevoke] {
            let found = asked(day(11), [bought, bought.revoked(day(10), type)])
            #expect(try verdict(found).state == .revoked)
            #expect(found.standing == .inactive)
        }
    }

    @Test("An upgrade ends what only the old product gave")
    func upgraded() throws {
        let basic = bought.transaction { $0.productId = ProductId("basic") }
        let pro = Fact.didRenew("2", day(30), day(60)).token("ann")
        let found = asked(day(40), [basic, pro])
        #expect(try verdict(found).active)
        let old = try verdict(found, "basic")
        #expect(!old.active && old.state == .subscribed && old.until == day(30))
        #expect(found.products.map(\.standing) == [.inactive, .active])
        #expect(found.groups.map(\.standing) == [.active])
    }

    @Test("An entitlement ends where the product changes to one that does not give it")
    func changedProduct() throws {
        let renewals: [Fact] = [
            .didRenew("2", day(30), day(60)),
            .didRenew("3", day(60), day(90)).transaction { $0.productId = ProductId("basic") },
            .didRenew("4", day(90), day(120)),
            .didRenew("5", day(120), day(150)).transaction {
                $0.productId = ProductId("pro.yearly")
            },
        ]
        let facts = [bought] + renewals.map { $0.token("ann") }
        let cases: [(at: Timestamp, name: String, until: Timestamp)] = [
            (day(40), "pro", day(60)), (day(70), "basic", day(90)), (day(100), "pro", day(150)),
            (day(100), "cloud", day(120)), (day(130), "pro", day(150)),
        ]
        for (at, name, until) in cases {
            let found = try verdict(asked(at, facts), name)
            #expect(found.active && found.state == .renewing && found.until == until)
        }
    }

    @Test("Access ended with the last time that gave it, whatever became of the chain since")
    func endedAt() throws {
        let failed: [Fact] = [
            bought, .didFailToRenew(at: day(30)), .expired(.billingRetry, at: day(60)),
        ]
        let refund = Fact.transaction("1", day(0), day(30), at: day(50)).token("ann")
        let refunded: [Fact] = [bought, .expired(at: day(30)), refund.revoked(day(50))]
        for facts in [failed, refunded] {
            let pro = try verdict(asked(day(70), facts))
            #expect(pro.since > day(30) && pro.endedAt == day(30))
            #expect(try verdict(asked(day(10), facts)).endedAt == nil)
        }
    }

    // MARK: Several chains

    @Test("Any active chain suffices; the one with the latest end is cited")
    func union() throws {
        let long = Fact.subscribed("9", day(5), day(90)).token("ann")
        #expect(try verdict(asked(day(10), [bought], [long])).originalTransactionId == .init("2"))
        #expect(try verdict(asked(day(10), [long], [bought])).originalTransactionId == .init("1"))
        #expect(try verdict(asked(day(40), [bought, .expired(at: day(30))], [long])).active)
    }

    @Test("With equal ends the larger originalTransactionId is cited: by length, then bytes")
    func largerId() throws {
        func cited(_ one: String, _ two: String) throws -> String? {
            let holdings = [one, two].map { id in
                given(bought).holding(
                    of: ann,
                    chain: ChainId(
                        bundleId: BundleId("app"),
                        originalTransactionId: OriginalTransactionId(id)))
            }
            let found = Entitlements(
                at: day(1), holdings: holdings, grants: [], catalogue: Catalogue())
            return found.verdicts.first?.originalTransactionId?.rawValue
        }
        #expect(try cited("21", "22") == "22")
        #expect(try cited("22", "21") == "22")
        #expect(try cited("9", "10") == "10")
    }

    @Test("If none is active, the one that ended last is cited, even in retry")
    func endedLast() throws {
        let failing = [bought, Fact.didFailToRenew(at: day(30))]
        let later = [
            Fact.subscribed("9", day(0), day(40)).token("ann"), .expired(at: day(40)),
        ]
        let found = try verdict(asked(day(95), failing, later))
        #expect(found.originalTransactionId?.rawValue == "2")
        #expect(found.state == .expired)
    }

    @Test("A moved chain is active until the move, inactive afterwards")
    func movedAway() throws {
        let facts = [
            Fact.subscribed("1", day(0), day(30)), .link("ann", at: day(2)),
            .link("bob", at: day(10)),
        ]
        #expect(try verdict(asked(day(10, -1), facts)).active)
        let after = try verdict(asked(day(10), facts))
        #expect(!after.active && after.until == day(10))
        #expect(asked(day(10), facts).standing == .inactive)
    }

    // MARK: Evidence

    @Test("The cited events alone give the same verdict, the one that ended it among them")
    func citedAlone() throws {
        let basic = bought.transaction { $0.productId = ProductId("basic") }
        let reversed = [
            Fact.notification(.refund, "1", day(0), day(30), at: day(5)).revoked(day(4)),
            Fact.notification(.refundReversed, "1", day(0), day(30), at: day(6)),
            Fact.notification(.didFailToRenew, "1", day(0), day(30), at: day(31)),
        ].map { $0.token("ann") }
        let renewed = Fact.didRenew("2", day(30), day(60))
        let failed = [
            bought, Fact.didFailToRenew(at: day(30)), Fact.expired(.billingRetry, at: day(60)),
        ]
        let linked = [Fact.subscribed("1", day(0), day(30)), Fact.link("ann", at: day(2))]
        let moved = linked + [Fact.link("bob", at: day(10))]
        let unlinked = linked + [Fact.unlink("ann", at: day(10))]
        let resumed = [
            bought, Fact.link("bob", at: day(2)), Fact.link("cat", at: day(3)),
            Fact.unlink("cat", at: day(10)),
        ]
        let second = [Fact.subscribed("1", day(0), day(30)), Fact.link("bob", at: day(2))]
        let cases: [(facts: [Fact], name: String, at: Timestamp, evidence: [Int64])] = [
            (resumed, "pro", day(12), [1, 2, 3, 4]),
            (second + [Fact.link("ann", at: day(10))], "pro", day(12), [1, 2, 3]),
            (failed, "pro", day(61), [1, 2, 3]),
            (reversed, "pro", day(40), [1, 2, 3]),
            ([basic, renewed.token("ann")], "basic", day(40), [1, 2]),
            ([basic, renewed.token("ann")], "basic", day(29), [1]),
            ([bought, renewed.token("bob")], "pro", day(40), [1, 2]),
            (moved, "pro", day(10), [1, 2, 3]),
            (unlinked, "pro", day(10), [1, 2, 3]),
            (unlinked, "pro", day(9), [1, 2]),
        ]
        for (facts, name, at, evidence) in cases {
            let whole = try verdict(asked(at, facts), name)
            #expect(whole.evidence == evidence)
            let cited = evidence.map { facts[Int($0) - 1] }
            let alone = try verdict(asked(at, cited), name)
            #expect(alone.active == whole.active && alone.state == whole.state)
            #expect(alone.since == whole.since)
        }
    }

    @Test("The trust is that of the events that date the state, and of what ended it")
    func leastTrusted() throws {
        let retried = [bought, Fact.didFailToRenew(at: day(30)).trusted(.secret)]
        for (at, trust) in [(day(29), Trust.signed), (day(31), .secret), (day(95), .secret)] {
            #expect(try verdict(asked(at, retried)).trust == trust)
            #expect(given(retried).answer(at)?.trust == trust)
        }
        let basic = bought.transaction { $0.productId = ProductId("basic") }
        let changed = [basic, Fact.didRenew("2", day(30), day(60)).token("ann").trusted(.secret)]
        #expect(try verdict(asked(day(29), changed), "basic").trust == .signed)
        #expect(try verdict(asked(day(31), changed), "basic").trust == .secret)
    }

    // MARK: Leeway

    @Test("While a renewal is overdue access continues for the leeway, with basis leeway")
    func leeway() throws {
        let overdue = [bought, Fact.autoRenew(true, at: day(1))]
        let end = day(30, Catalogue.defaultLeewayMilliseconds)
        let inside = try verdict(asked(day(30), overdue))
        #expect(inside.active && inside.basis == .leeway && inside.state == .expired)
        #expect(inside.since == day(30) && inside.until == end)
        #expect(inside.evidence == [1, 2])
        #expect(asked(day(30), overdue).standing == .active)
        #expect(try verdict(asked(end.advanced(byMilliseconds: -1), overdue)).active)
        #expect(try !verdict(asked(end, overdue)).active)
    }

    @Test("No leeway if disabled, or after a failure, an expiry, or auto-renew off")
    func noLeeway() throws {
        let on = Fact.autoRenew(true, at: day(1))
        var off = EntitlementTests.catalogue
        off.leewayMilliseconds = 0
        #expect(try !verdict(asked(day(30), [bought, on], catalogue: off)).active)
        for last in [
            Fact.didFailToRenew(at: day(30)), .expired(at: day(30)), .autoRenew(false, at: day(2)),
        ] {
            #expect(try !verdict(asked(day(30, minute), [bought, on, last])).active)
        }
        #expect(try !verdict(asked(day(30), [bought])).active)
    }

    // MARK: Grants

    private func granted(_ facts: Fact...) -> [Grant] { Grant.grants(numbered(facts)) }

    @Test("A grant gives its entitlement from its receivedAt until its date")
    func grant() throws {
        let grants = granted(.grant("gold", until: day(20), at: day(10), id: "g"))
        #expect(asked(day(10, -1), grants: grants).standing == .new)
        let gold = try verdict(asked(day(10), grants: grants), "gold")
        #expect(gold.active && gold.basis == .grant && gold.state == nil)
        #expect(gold.since == day(10) && gold.until == day(20))
        #expect(gold.originalTransactionId == nil && gold.evidence == [1])
        #expect(asked(day(10), grants: grants).standing == .active)
        #expect(try !verdict(asked(day(20), grants: grants), "gold").active)
        #expect(asked(day(20), grants: grants).standing == .inactive)
    }

    @Test("A withdrawal ends it; one with an unknown id or another customer does nothing")
    func withdrawn() throws {
        let grant = Fact.grant("gold", until: day(20), at: day(10), id: "g")
        let grants = granted(
            grant, .ungrant("g", at: day(12), of: "bob"), .ungrant("h", at: day(13)),
            .ungrant("g", at: day(15)), .ungrant("g", at: day(16)))
        #expect(grants.map(\.withdrawnAt) == [day(15)])
        #expect(try verdict(asked(day(15, -1), grants: grants), "gold").active)
        #expect(try !verdict(asked(day(15), grants: grants), "gold").active)
        #expect(try verdict(asked(day(15), grants: grants), "gold").evidence == [1, 4])
    }

    @Test("A grant is independent of chains: the end of one does not affect the other")
    func grantBesideChain() throws {
        let grants = granted(.grant("pro", until: day(40), at: day(10), id: "g"))
        let chain = [bought, Fact.expired(at: day(30))]
        #expect(try verdict(asked(day(20), chain, grants: grants)).basis == .grant)
        #expect(try verdict(asked(day(35), chain, grants: grants)).active)
        #expect(try !verdict(asked(day(40), chain, grants: grants)).active)
    }

    @Test("Two commands with one id are one grant")
    func repeatedGrant() {
        let grant = Fact.grant("gold", until: day(20), at: day(10), id: "g")
        #expect(granted(grant, grant).count == 1)
        #expect(granted(grant, .grant("x", until: day(20), at: day(9), id: "g")).count == 1)
    }
}
