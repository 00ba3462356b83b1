import AppStore
import Ledger
import Testing

/// Groups, filters, trials and money of one chain.
@Suite("Groups of a roll-forward")
struct RollForwardGroupTests {
    private let catalogue = Catalogue(products: [
        ProductId("a"): Catalogue.Product(group: "pro", level: 2, period: ISO8601Period(months: 1)),
        ProductId("b"): Catalogue.Product(
            group: "pro", level: 1, period: ISO8601Period(months: 12)),
    ])

    /// a for a month, upgraded to b in the middle of the second, ended after it.
    private var changed: Lifecycle {
        given(
            Fact.subscribed("1", day(0), day(30)).product("a").priced(10_000),
            .didRenew("2", day(30), day(60)).product("a").priced(10_000),
            Fact.transaction("2", day(30), day(60), at: day(45)).product("a").priced(10_000)
                .transaction { $0.isUpgraded = true },
            Fact.notification(
                .didChangeRenewalPref, "3", day(45), day(410), subtype: .upgrade
            ).product("b").priced(90_000),
            .autoRenew(false, at: day(50)), .expired(at: day(410)), catalogue: catalogue)
    }

    private func rows(
        _ dimensions: [Dimension], _ measure: RollForwardQuery.Measure = .chains,
        _ filters: [Dimension: Set<String?>] = [:]
    ) -> [RollForwardRow] {
        changed.rows(
            RollForwardQuery(
                measure, instants: [day(31), day(100), day(500)], dimensions: dimensions,
                filters: filters), catalogue)
    }

    @Test("A product change is a move between products, and no move in other dimensions")
    func productChange() {
        let rows = rows([.product])
        #expect(rows.map(\.group) == [["a"], ["b"], ["b"]])
        #expect(
            rows.map(\.reported) == [["movedOut": 1], ["movedIn": 1], ["churned.voluntary": 1]])
        #expect(rows.allSatisfy { $0.residue == 0 })
        for dimension in [Dimension.group, .app, .country, .currency, .phase, .ownership] {
            let reported = self.rows([dimension]).map(\.reported)
            #expect(reported == [[:], ["churned.voluntary": 1]], "\(dimension)")
        }
    }

    @Test("Chains excluded by a filter move out of the rows and do not churn")
    func filtered() {
        let only = rows([], .chains, [.product: ["a"]])
        #expect(only.map(\.reported) == [["movedOut": 1], [:]])
        #expect(only.map(\.activeStart) == [1, 0])
        #expect(rows([], .chains, [.product: ["c"]]).allSatisfy { $0.isEmpty })
        #expect(rows([], .chains, [.offerIdentifier: [nil]]).map(\.activeStart) == [1, 1])
        #expect(rows([], .chains, [.offerIdentifier: ["x"]]).allSatisfy { $0.isEmpty })
    }

    @Test("By reason, churned chains move into the reason's row and end there")
    func byReason() {
        let rows = rows([.reason])
        #expect(rows.map(\.group) == [[nil], [nil], ["voluntary"]])
        #expect(
            rows.map(\.reported) == [
                [:], ["movedOut": 1], ["movedIn": 1, "churned.voluntary": 1],
            ])
        #expect(rows.map(\.rateBase) == [1, 1, 1])
        #expect(rows.allSatisfy { $0.residue == 0 })
        #expect(self.rows([], .chains, [.reason: ["voluntary"]]).map(\.group) == [["voluntary"]])
        #expect(self.rows([.reason], .chains, [.reason: ["billing"]]).isEmpty)
    }

    @Test("A change of currency moves between groups")
    func currency() {
        let life = given(
            Fact.subscribed("1", day(0), day(30)).product("a").priced(10_000),
            .didRenew("2", day(30), day(60)).product("a").priced(9_000, "EUR"), catalogue: catalogue
        )
        let rows = life.rows(
            RollForwardQuery(.money, instants: [day(1), day(40)]), catalogue)
        #expect(rows.map(\.group) == [["EUR"], ["USD"]])
        #expect(rows.map(\.reported) == [["movedIn": 108_000], ["movedOut": 120_000]])
    }

    @Test("A paid chain without a price counts as unpriced, never as free money")
    func unpriced() throws {
        let life = given(Fact.subscribed("1", day(0), day(30)).product("a"), catalogue: catalogue)
        let row = try #require(life.rollForward(day(0), day(1), .money, catalogue: catalogue))
        #expect(row.group == [nil])
        #expect(row.unpricedEnd == 1 && row.activeEnd == 0 && row.columns.isEmpty)
    }

    @Test("A trial is active but not paid; paid after it is converted, free again is toFree")
    func trial() throws {
        let life = given(
            Fact.subscribed("1", day(0), day(7)).product("a").asTrial,
            .didRenew("2", day(7), day(37)).product("a").priced(10_000),
            .didRenew("3", day(37), day(44)).product("a").asTrial, .expired(at: day(44)),
            catalogue: catalogue)
        func reported(_ measure: RollForwardQuery.Measure) -> [[String: Int64]] {
            life.rows(
                RollForwardQuery(
                    measure, instants: [day(0), day(7), day(37), day(44), day(45)]), catalogue
            ).map(\.reported)
        }
        #expect(reported(.chains) == [["new": 1], [:], [:], ["churned.voluntary": 1]])
        #expect(reported(.paidChains) == [[:], ["converted": 1], ["toFree": 1], [:]])
        #expect(reported(.money) == [["converted": 120_000], ["toFree": 120_000]])
    }

    @Test(
        "An offer is named by type, identifier and discount type, as stated",
        arguments: [
            (Offer(), nil), (Offer(type: Raw(.introductoryOffer)), "introductory"),
            (
                Offer(
                    type: Raw(.promotionalOffer), identifier: "winter",
                    discountType: Raw(.payAsYouGo)), "promotional/winter/PAY_AS_YOU_GO"
            ), (Offer(type: Raw(.offerCode), identifier: "x"), "offerCode/x"),
            (Offer(type: Raw(.winBackOffer)), "winBack"), (Offer(type: Raw(rawValue: 9)), "9"),
            (Offer(discountType: Raw(.freeTrial)), "FREE_TRIAL"),
        ] as [(Offer, String?)])
    func offers(_ offer: Offer, _ label: String?) {
        #expect(offer.label == label)
    }

    @Test("Two periods of one offer, the first free by its receipt: the second is paid")
    func trialOfReceipt() {
        func offered(_ fact: Fact, isTrial: Bool) -> Fact {
            fact.transaction {
                $0.offer = Offer(type: Raw(.introductoryOffer))
                $0.isTrialPeriod = isTrial
            }
        }
        let life = given(
            offered(.subscribed("1", day(0), day(7)), isTrial: true),
            offered(.didRenew("2", day(7), day(37)), isTrial: false))
        #expect(life.metrics().stretches.prefix(2).map(\.values.phase) == [.trial, .intro])
        #expect(life.rollForward(day(0), day(20), .paidChains)?.reported == ["converted": 1])
    }
}
