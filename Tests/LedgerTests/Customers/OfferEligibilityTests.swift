import AppStore
import Ledger
import Testing

@Suite("§6: offers")
struct OfferEligibilityTests {
    private static let monthly = ProductId("pro.monthly")
    private static let yearly = ProductId("pro.yearly")

    private func decide(
        _ rule: OfferEligibility.Rule, _ lives: [[Fact]],
        of product: ProductId = OfferEligibilityTests.monthly, at: Timestamp = day(100),
        catalogue: Catalogue = Catalogue(), groups: [ProductId: String] = [:]
    ) -> OfferEligibility? {
        OfferEligibility.decide(
            rule, product: product, lives: lives.map { given($0, catalogue: catalogue) }, at: at,
            catalogue: catalogue, groups: groups.mapValues { SubscriptionGroupIdentifier($0) })
    }

    private func bought(_ change: (inout TransactionSnapshot) -> Void = { _ in }) -> Fact {
        Fact.subscribed("1", day(0), day(30)).transaction(change)
    }

    private func introductory(_ group: String? = nil) -> Fact {
        bought {
            $0.offer = Offer(type: Raw(.introductoryOffer))
            $0.subscriptionGroupIdentifier = group.map { SubscriptionGroupIdentifier($0) }
        }
    }

    private func catalogue(_ groups: [ProductId: String]) -> Catalogue {
        Catalogue(products: groups.mapValues { Catalogue.Product(group: $0) })
    }

    // MARK: No introductory offer

    @Test("Who never bought, or bought without an introductory offer, is eligible without events")
    func never() {
        let lives: [[[Fact]]] = [
            [], [[bought()]], [[bought { $0.offer = Offer(type: Raw(.promotionalOffer)) }]],
            [
                [
                    bought {
                        $0.offer = Offer(
                            type: Raw(.offerCode), discountType: Raw(.freeTrial))
                    }
                ]
            ],
        ]
        for lives in lives {
            let found = decide(.noIntroductoryOffer, lives)
            #expect(found?.reason == .noIntroductoryOffer && found?.isEligible == true)
            #expect(found?.evidence == [])
        }
    }

    @Test("One introductory offer is enough, also a refunded one, and names its events")
    func had() {
        let renewed = Fact.didRenew("2", day(30), day(60))
        let refund = introductory().revoked(day(10)).with { $0.signedDate = day(10) }
        for facts in [[introductory(), renewed], [introductory(), refund]] {
            let found = decide(.noIntroductoryOffer, [facts])
            #expect(found?.reason == .hadIntroductoryOffer && found?.isEligible == false)
            #expect(found?.evidence.first == 1)
        }
        #expect(decide(.noIntroductoryOffer, [[introductory(), renewed]])?.evidence == [1])
    }

    @Test("A free trial that a receipt states without an offer's type counts")
    func receipts() {
        let found = decide(.noIntroductoryOffer, [[bought { $0.isTrialPeriod = true }]])
        #expect(found?.reason == .hadIntroductoryOffer)
    }

    @Test("What begins later does not count yet")
    func later() {
        #expect(
            decide(.noIntroductoryOffer, [[introductory()]], at: day(-1))?.isEligible == true)
        #expect(
            decide(.noIntroductoryOffer, [[introductory()]], at: day(0))?.isEligible == false)
    }

    @Test("Periods of which nothing is known may have had one, in a chain of the group")
    func missing() {
        let renewed = Fact.didRenew("2", day(30), day(60))
        let gap = [bought(), Fact.didRenew("3", day(60), day(90))]
        let erasure = Fact.reported(.erasure, at: nil)
        for (facts, evidence) in [([renewed], 1), (gap, 2), ([bought(), erasure], 2)] {
            let found = decide(.noIntroductoryOffer, [facts])
            #expect(found?.reason == .historyMissing && found?.isEligible == false)
            #expect(found?.evidence.contains(Int64(evidence)) == true)
        }
        // Before it began, and in another group, it hides nothing.
        #expect(decide(.noIntroductoryOffer, [[renewed]], at: day(29))?.isEligible == true)
        let groups = catalogue([
            OfferEligibilityTests.monthly: "pro", OfferEligibilityTests.yearly: "plus",
        ])
        let other = decide(
            .noIntroductoryOffer, [[renewed]], of: OfferEligibilityTests.yearly, catalogue: groups)
        #expect(other?.reason == .noIntroductoryOffer)
        // One that is known decides.
        let known = decide(.noIntroductoryOffer, [[renewed], [introductory()]])
        #expect(known?.reason == .hadIntroductoryOffer)
    }

    @Test("A family copy with an introductory offer counts")
    func familyOffer() {
        let copy = introductory().transaction { $0.inAppOwnershipType = Raw(.familyShared) }
        #expect(decide(.noIntroductoryOffer, [[copy]])?.reason == .hadIntroductoryOffer)
    }

    @Test("A copy of a purchase that is not known counts, although it is no period")
    func copyOffer() {
        let known = [bought(), Fact.resubscribed("3", day(90), day(120))]
        let copy = Fact.transaction("8", day(100), day(90), at: day(100)).transaction {
            $0.offer = Offer(type: Raw(.introductoryOffer))
        }
        expectHistory(given(known + [copy]), given(known).history)
        let before = decide(.noIntroductoryOffer, [known + [copy]], at: day(89))
        #expect(before?.reason == .noIntroductoryOffer)
        let found = decide(.noIntroductoryOffer, [known + [copy]], at: day(90))
        #expect(found?.reason == .hadIntroductoryOffer)
        #expect(found?.evidence == [3])
    }

    @Test("A worse copy of a known purchase counts for nothing, nor does one of a lower rank")
    func worseCopyOffer() {
        func stated(_ fact: Fact, _ offer: OfferType) -> Fact {
            fact.transaction {
                $0.offer = Offer(type: Raw(offer))
                $0.webOrderLineItemId = WebOrderLineItemId("w")
            }
        }
        let known = stated(bought(), .offerCode)
        // Restored within the period, and after its end.
        for restoredOn in [day(5), day(40)] {
            let restored = Fact.transaction("8", restoredOn, day(30), at: day(50))
            let copy = stated(restored, .introductoryOffer)
            let partial = copy.with { $0.cause = Cause(kind: .notificationV1) }
            for copy in [partial, copy.trusted(.secret)] {
                let found = decide(.noIntroductoryOffer, [[known, copy]])
                #expect(found?.reason == .noIntroductoryOffer)
            }
        }
        let signed = stated(.transaction("8", day(40), day(30), at: day(50)), .introductoryOffer)
        let found = decide(.noIntroductoryOffer, [[known.trusted(.secret), signed]])
        #expect(found?.reason == .hadIntroductoryOffer)
    }

    // MARK: Groups

    @Test("Another product counts where catalogue or Apple say that it is of the group")
    func groups() {
        let (monthly, yearly) = (OfferEligibilityTests.monthly, OfferEligibilityTests.yearly)
        let other = bought {
            $0.productId = yearly
            $0.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("21")
        }
        let cases: [([[Fact]], Catalogue, OfferEligibility.Reason?)] = [
            ([[introductory()]], Catalogue(), nil),
            ([[introductory("21")]], Catalogue(), nil),
            ([[introductory("21")], [other]], Catalogue(), .hadIntroductoryOffer),
            ([[introductory("22")], [other]], Catalogue(), .noIntroductoryOffer),
            ([[introductory()], [other]], Catalogue(), nil),
            (
                [[introductory()]], catalogue([monthly: "pro", yearly: "pro"]),
                .hadIntroductoryOffer
            ),
            (
                [[introductory()]], catalogue([monthly: "pro", yearly: "plus"]),
                .noIntroductoryOffer
            ),
            ([[introductory()]], catalogue([yearly: "pro"]), nil),
            ([[introductory("21")]], catalogue([yearly: "21"]), .hadIntroductoryOffer),
        ]
        for (index, (lives, catalogue, reason)) in cases.enumerated() {
            let found = decide(.noIntroductoryOffer, lives, of: yearly, catalogue: catalogue)
            #expect(found?.reason == reason, "\(index)")
        }
    }

    @Test("What other customers' purchases state counts where the customer's state nothing")
    func stated() {
        let (monthly, yearly) = (OfferEligibilityTests.monthly, OfferEligibilityTests.yearly)
        let own = bought {
            $0.productId = yearly
            $0.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("21")
        }
        let cases: [([[Fact]], [ProductId: String], OfferEligibility.Reason?)] = [
            ([[introductory("21")]], [yearly: "21"], .hadIntroductoryOffer),
            ([[introductory("22")]], [yearly: "21"], .noIntroductoryOffer),
            ([[introductory()]], [yearly: "21"], nil),
            ([[introductory()]], [monthly: "21", yearly: "21"], .hadIntroductoryOffer),
            ([[introductory("21")], [own]], [yearly: "22"], .hadIntroductoryOffer),
        ]
        for (index, (lives, groups, reason)) in cases.enumerated() {
            let found = decide(.noIntroductoryOffer, lives, of: yearly, groups: groups)
            #expect(found?.reason == reason, "\(index)")
        }
    }

    // MARK: Lapsed

    private var ended: [Fact] {
        [bought(), .autoRenew(false, at: day(5)), .expired(at: day(30, minute))]
    }

    @Test("Who never subscribed, or still does, has not lapsed")
    func notLapsed() {
        #expect(decide(.lapsed, [])?.reason == .neverSubscribed)
        let current = decide(.lapsed, [[bought()]], at: day(10))
        #expect(current?.reason == .subscribed && current?.evidence == [1])
        let retry = bought()
        let failed = Fact.didFailToRenew(at: day(30, minute))
        #expect(decide(.lapsed, [[retry, failed]], at: day(31))?.reason == .subscribed)
        // Another subscription of the group goes on.
        let other = Fact.subscribed("9", day(90), day(120))
        #expect(decide(.lapsed, [ended, [other]], at: day(100))?.reason == .subscribed)
        let refunded = [
            bought(), bought().revoked(day(10)).with { $0.signedDate = day(10) },
        ]
        #expect(decide(.lapsed, [refunded], at: day(11))?.reason == .revoked)
    }

    @Test("A family copy or an assigned licence counts only while it goes on")
    func notBought() {
        for ownership in [InAppOwnershipType.familyShared, .assigned] {
            let copy = ended.map { $0.transaction { $0.inAppOwnershipType = Raw(ownership) } }
            #expect(decide(.lapsed, [copy])?.reason == .neverSubscribed)
            #expect(decide(.lapsed, [copy], at: day(10))?.reason == .subscribed)
            #expect(decide(.lapsed, [copy, ended])?.reason == .lapsed)
        }
    }

    @Test("A chain of an unknown group leaves the answer open only where it decides")
    func unclear() {
        let yearly = OfferEligibilityTests.yearly
        let own = ended.map { $0.transaction { $0.productId = yearly } }
        #expect(decide(.lapsed, [ended], of: yearly) == nil)
        #expect(decide(.lapsed, [ended, own], of: yearly)?.reason == .lapsed)
        let current = [Fact.subscribed("9", day(90), day(120))]
        #expect(decide(.lapsed, [current, own], of: yearly) == nil)
    }

    @Test("Who had a subscription and has none has lapsed, by the events of its end")
    func lapsed() {
        let found = decide(.lapsed, [ended])
        #expect(found?.reason == .lapsed && found?.isEligible == true)
        let evidence = found?.evidence ?? []
        #expect(evidence.contains(1) && evidence.count > 1 && evidence == evidence.sorted())
    }

    @Test("Over by the clock alone, it goes on for the leeway")
    func leeway() {
        let facts = [[bought().renewal { $0.autoRenewStatus = Raw(.on) }]]
        let leeway = Catalogue.defaultLeewayMilliseconds
        #expect(decide(.lapsed, facts, at: day(30, leeway - 1))?.reason == .subscribed)
        #expect(decide(.lapsed, facts, at: day(30, leeway))?.reason == .lapsed)
    }

    @Test("The end of a chain without the minimum trust is no reason")
    func trust() {
        let secret = ended.map { $0.trusted(.secret) }
        #expect(decide(.lapsed, [secret])?.reason == .neverSubscribed)
        #expect(decide(.lapsed, [secret], at: day(10))?.reason == .subscribed)
    }
}
