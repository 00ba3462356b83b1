import AppStore
import Ledger
import Testing

/// One chain's contribution to each counted metric.
@Suite("Occurrences of one chain")
struct OccurrenceTests {
    private let bought = Fact.subscribed("1", day(0), day(30)).priced(10_000)
    private let renewed = Fact.didRenew("2", day(30), day(60)).priced(10_000)
    private var trial: Fact { Fact.subscribed("1", day(0), day(7)).asTrial }

    /// Sums of all columns that are not 0.
    private func reported(
        _ life: Lifecycle, _ metric: CountedMetric, limit: Timestamp = day(1_000),
        instants: [Timestamp] = []
    ) -> [String: Int64] {
        life.occurrences(
            of: metric, in: app, catalogue: Catalogue(), limit: limit, instants: instants
        ).reduce(into: [:]) { sums, found in
            for (column, amount) in found.amounts where amount != 0 {
                sums[column, default: 0] += amount
            }
        }
    }

    // MARK: Never counted

    @Test(
        "Family Sharing copies contribute to no metric",
        arguments: CountedMetric.allCases)
    func copies(_ metric: CountedMetric) {
        let life = given(
            [
                trial, Fact.didRenew("2", day(7), day(37)).priced(10_000),
                .autoRenew(false, at: day(10)), .autoRenew(true, at: day(11)),
                .didFailToRenew(at: day(37)),
                Fact.didRenew("3", day(40), day(70)).priced(10_000),
                Fact.notification(.refund, "3", day(40), day(70), at: day(50)).revoked(day(49)),
            ].map { $0.owned(.familyShared) })
        #expect(reported(life, metric, instants: [day(0), day(5), day(45)]).isEmpty)
    }

    @Test("Nothing after the limit counts", arguments: CountedMetric.allCases)
    func limit(_ metric: CountedMetric) {
        let life = given(bought, renewed, .expired(at: day(60)))
        #expect(reported(life, metric, limit: day(0), instants: [day(-5), day(0)]).isEmpty)
    }

    // MARK: Active, starts, trials

    @Test("Active just before the end: paid or not, set to cancel or not")
    func active() {
        let life = given(
            trial, .autoRenew(true, at: day(1)),
            Fact.didRenew("2", day(7), day(37)).priced(10_000), .autoRenew(false, at: day(20)),
            .expired(at: day(37)))
        func at(_ moment: Timestamp) -> [String: Int64] {
            reported(life, .active, instants: [day(-9), moment])
        }
        #expect(at(day(0)).isEmpty)
        #expect(at(day(0, 1)) == ["active": 1])
        #expect(at(day(7)) == ["active": 1])
        #expect(at(day(7, 1)) == ["active": 1, "activePaid": 1])
        #expect(at(day(30)) == ["active": 1, "activePaid": 1, "setToCancel": 1])
        #expect(at(day(37)) == ["active": 1, "activePaid": 1, "setToCancel": 1])
        #expect(at(day(37, 1)).isEmpty)
    }

    @Test("The first period is a start, as trial or paid; an adopted chain has none")
    func starts() {
        #expect(reported(given(bought, renewed), .starts) == ["starts": 1, "paidStarts": 1])
        #expect(reported(given(trial), .starts) == ["starts": 1, "trialStarts": 1])
        #expect(reported(given(.didRenew("9", day(0), day(30))), .starts).isEmpty)
    }

    @Test("A trial is pending until it ends; it converts when the next period of its run is paid")
    func trials() {
        let paid = Fact.didRenew("2", day(7), day(37)).priced(10_000)
        let ended = ["trials": 1, "ended": 1] as [String: Int64]
        let converted = ended.merging(["converted": 1]) { $1 }
        #expect(reported(given(trial, paid), .trials) == converted)
        #expect(reported(given(trial, paid), .trials, limit: day(7)) == converted)
        #expect(
            reported(given(trial, paid), .trials, limit: day(7, -1)) == ["trials": 1, "pending": 1])
        #expect(reported(given(trial, .expired(at: day(7))), .trials) == ended)
        // Bought again after expiry: won back, not converted.
        let late = Fact.resubscribed("2", day(20), day(50)).priced(10_000)
        #expect(reported(given(trial, .expired(at: day(7)), late), .trials) == ended)
        // Paid out of billing retry: the same run.
        let recovered = Fact.didRenew("2", day(9), day(39)).priced(10_000)
        #expect(
            reported(given(trial, .didFailToRenew(at: day(7)), recovered), .trials) == converted)
    }

    // MARK: Renewals

    @Test("Paid renewals count; free ones and purchases do not")
    func renewals() {
        #expect(reported(given(bought, renewed), .renewals) == ["renewals": 1])
        #expect(reported(given(bought, renewed.priced(0)), .renewals).isEmpty)
        #expect(reported(given(bought, renewed.priced(nil)), .renewals) == ["unpriced": 1])
        let late = Fact.didRenew("2", day(33), day(63), at: day(33), .billingRecovery).priced(
            10_000)
        #expect(
            reported(given(bought, .didFailToRenew(at: day(30)), late), .renewals)
                == ["renewals": 1, "recovered": 1])
    }

    @Test(
        "Reactivations are counted by the days away",
        arguments: [
            (30, "away.0-6"), (36, "away.0-6"), (37, "away.7-29"), (60, "away.30-89"),
            (394, "away.90-364"), (395, "away.365+"),
        ] as [(Int64, String)])
    func reactivations(_ number: Int64, _ bucket: String) {
        let life = given(
            bought, .autoRenew(false, at: day(3)), .expired(at: day(30)),
            Fact.resubscribed("2", day(number, 1), day(number + 30)))
        #expect(reported(life, .reactivations) == ["reactivated": 1, bucket: 1])
    }

    @Test("Recoveries and reversed refunds are not reactivations")
    func noReactivation() {
        let retry = given(
            bought, .didFailToRenew(at: day(30)), .didRenew("2", day(40), day(70), .billingRecovery)
        )
        #expect(reported(retry, .reactivations).isEmpty)
        let reversed = given(
            bought, .notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(12)))
        #expect(reported(reversed, .reactivations).isEmpty)
    }

    @Test("Failed renewals by the day they began: recovered within days, lost, or open")
    func recoveries() {
        let retry = given(
            bought, .didFailToRenew(at: day(30)),
            Fact.didRenew("2", day(37), day(67), at: day(37), .billingRecovery))
        #expect(
            reported(retry, .recoveries) == [
                "billingRetry.entered": 1, "billingRetry.recovered": 1, "billingRetry.within7": 1,
                "billingRetry.within14": 1, "billingRetry.within30": 1,
                "billingRetry.within60": 1,
            ])
        #expect(
            reported(retry, .recoveries, limit: day(37)) == [
                "billingRetry.entered": 1, "billingRetry.open": 1,
            ])
        let lost = given(
            bought, .didFailToRenew(at: day(30), grace: day(36)),
            .notification(.gracePeriodExpired, at: day(36)), .expired(.billingRetry, at: day(90)))
        #expect(reported(lost, .recoveries) == ["grace.entered": 1, "billingRetry.entered": 1])
        let grace = given(
            bought, .didFailToRenew(at: day(30), grace: day(46)),
            Fact.didRenew("2", day(33), day(63), at: day(33), .billingRecovery))
        #expect(
            reported(grace, .recoveries) == [
                "grace.entered": 1, "grace.recovered": 1, "grace.within3": 1, "grace.within7": 1,
                "grace.within14": 1, "grace.within30": 1, "grace.within60": 1,
            ])
    }

    @Test(
        "Auto-renew off is counted by the days before the end and after the start",
        arguments: [
            (0, 1, "off.beforeEnd.15-30", "off.afterStart.0"),
            (29, 0, "off.beforeEnd.1", "off.afterStart.15-30"),
            (29, 1, "off.beforeEnd.0", "off.afterStart.15-30"),
            (27, 0, "off.beforeEnd.2-3", "off.afterStart.15-30"),
            (1, 0, "off.beforeEnd.15-30", "off.afterStart.1"),
        ] as [(Int64, Int64, String, String)])
    func autoRenew(_ number: Int64, _ more: Int64, _ before: String, _ after: String) {
        let life = given(bought, .autoRenew(false, at: day(number, more)))
        #expect(reported(life, .autoRenew) == ["off": 1, before: 1, after: 1])
    }

    @Test("Off and on again are two; after the end it is not before the end")
    func offAndOn() {
        let life = given(
            bought, .autoRenew(false, at: day(5)), .autoRenew(true, at: day(6)))
        let sums = reported(life, .autoRenew)
        #expect(sums["off"] == 1 && sums["on"] == 1)
        let late = given(
            bought, .didFailToRenew(at: day(30)), .autoRenew(false, at: day(35)))
        #expect(reported(late, .autoRenew)["off.afterEnd"] == 1)
    }

    @Test("Changes of product are counted by level, and by the length of the periods")
    func productChanges() {
        let catalogue = Catalogue(products: [
            ProductId("a"): Catalogue.Product(level: 2, period: ISO8601Period(months: 1)),
            ProductId("b"): Catalogue.Product(level: 1, period: ISO8601Period(months: 12)),
            ProductId("c"): Catalogue.Product(level: 2, period: ISO8601Period(days: 7)),
        ])
        func reported(_ product: String) -> [String: Int64] {
            let life = given(
                bought.product("a"), renewed.product(product), catalogue: catalogue)
            return life.occurrences(
                of: .productChanges, in: app, catalogue: catalogue, limit: day(99), instants: []
            ).first?.amounts ?? [:]
        }
        #expect(reported("a").isEmpty)
        #expect(reported("b") == ["upgraded": 1, "toLonger": 1])
        #expect(reported("c") == ["crossgraded": 1, "toShorter": 1])
    }

    // MARK: Money

    private func refunded(_ percentage: Int64?) -> Fact {
        Fact.notification(.refund, "1", day(0), day(30), at: day(10)).priced(10_000).revoked(day(9))
            .transaction { $0.revocationPercentage = percentage }
    }

    @Test(
        "A refund is the price, or the part stated by Apple, on its own day",
        arguments: [
            (nil, 10_000), (100_000, 10_000), (50_000, 5_000), (33_333, 3_333), (0, 0),
            (-1, 0), (100_001, 10_000),
        ] as [(Int64?, Int64)])
    func refunds(_ percentage: Int64?, _ amount: Int64) {
        let life = given(bought, refunded(percentage))
        var expected: [String: Int64] = ["refunds": 1]
        if amount > 0 { expected["refunded"] = amount }
        #expect(reported(life, .refunds) == expected)
        let found = life.occurrences(
            of: .refunds, in: app, catalogue: Catalogue(), limit: day(99), instants: [])
        #expect(found.map { $0.at } == [day(9)])
        #expect(found.map { $0.cause } == [2])
    }

    @Test("The last stated percentage applies; the first statement may lack it")
    func restatedRefund() {
        let life = given(
            bought, refunded(nil),
            Fact.notification(.refund, "1", day(0), day(30), at: day(14)).priced(10_000)
                .revoked(day(9)).transaction { $0.revocationPercentage = 40_000 })
        #expect(reported(life, .refunds) == ["refunds": 1, "refunded": 4_000])
        #expect(reported(life, .revenue)["refunded"] == 4_000)
    }

    @Test("A refund reversed and refunded again under the same date is in force")
    func refundedAgain() {
        let reversal = Fact.notification(.refundReversed, "1", day(0), day(30), at: day(12))
            .priced(10_000)
        let again = Fact.notification(.refund, "1", day(0), day(30), at: day(14)).priced(10_000)
            .revoked(day(9))
        let life = given(bought, refunded(nil), reversal, again)
        #expect(life.state(day(15)) == .revoked)
        #expect(reported(life, .refunds) == ["refunds": 1, "refunded": 10_000])
        #expect(reported(life, .refundsByPurchase)["refunded"] == 10_000)
    }

    @Test("A reversed refund stays on its day; the reversal is on its own")
    func reversed() {
        let life = given(
            bought, refunded(nil),
            Fact.notification(.refundReversed, "1", day(0), day(30), at: day(12)).priced(10_000))
        #expect(
            reported(life, .refunds) == [
                "refunds": 1, "refunded": 10_000, "reversals": 1, "reversed": 10_000,
            ])
        #expect(
            reported(life, .refundsByPurchase, limit: day(11)) == [
                "transactions": 1, "gross": 10_000, "refunds": 1, "refunded": 10_000,
            ])
        #expect(
            reported(life, .refundsByPurchase) == ["transactions": 1, "gross": 10_000])
    }

    @Test("An upgrade is credited, not refunded: Apple states no amount")
    func upgradeCredit() {
        let life = given(
            bought,
            Fact.transaction("1", day(0), day(30), at: day(10)).priced(10_000)
                .revoked(day(10)).transaction { $0.isUpgraded = true },
            Fact.notification(.didChangeRenewalPref, "2", day(10), day(40), subtype: .upgrade)
                .product("b").priced(20_000))
        #expect(reported(life, .refunds) == ["upgradeCredits": 1])
        #expect(reported(life, .revenue) == ["transactions": 2, "gross": 30_000])
    }

    @Test("Where the successor is lost, an upgrade is credited on its day, and the run continues")
    func upgradeWithoutSuccessor() {
        let upgraded = Fact.transaction("1", day(0), day(7), at: day(3)).asTrial
            .revoked(day(3)).transaction { $0.isUpgraded = true }
        let life = given(
            trial, upgraded, Fact.didRenew("3", day(40), day(70)).priced(10_000))
        #expect(
            reported(life, .refunds, limit: day(4)) == ["upgradeCredits": 1])
        #expect(reported(life, .trials)["converted"] == 1)
    }

    @Test("Revenue is gross by purchase; free counts 0, and unpriced is not free")
    func revenue() {
        #expect(
            reported(given(bought, renewed, refunded(nil)), .revenue) == [
                "transactions": 2, "gross": 20_000, "refunded": 10_000,
            ])
        #expect(reported(given(trial), .revenue).isEmpty)
        #expect(reported(given(bought.priced(nil)), .revenue) == ["unpriced": 1])
        #expect(reported(given(bought.priced(-1)), .revenue) == ["unpriced": 1])
        let once = given(
            bought.transaction { $0.type = Raw(.nonConsumable) })
        #expect(reported(once, .revenue) == ["transactions": 1, "gross": 10_000])
    }

    @Test(
        "Unpriced purchases are listed where their amount is missing, and counted otherwise")
    func unpriced() {
        let sold = [bought.priced(nil), renewed.priced(10_000, nil), refunded(nil).priced(nil)]
        let life = given(sold)
        #expect(reported(life, .renewals) == ["unpriced": 1])
        #expect(reported(life, .proceeds) == ["unpriced": 2])
        #expect(reported(life, .revenue)["unpriced"] == 2)
        #expect(reported(life, .refunds)["refunds"] == 1)
        #expect(reported(life, .refunds)["unpriced"] == 1)
        #expect(reported(life, .refundsByPurchase)["transactions"] == 2)
        #expect(reported(life, .refundsByPurchase)["refunds"] == 1)
        #expect(reported(life, .refundsByPurchase)["unpriced"] == 2)
        // A trial without a stated price is still free.
        for metric in [CountedMetric.revenue, .proceeds, .refundsByPurchase] {
            #expect(reported(given(trial.priced(nil)), metric).isEmpty)
        }
    }

    @Test("A year of service paid for in grace begins at the end of the period before")
    func proceedsInGrace() {
        let life = given(
            trial, .didFailToRenew(at: day(7, hour), grace: day(23)),
            Fact.didRenew("2", day(7), day(372), at: day(9), .billingRecovery).priced(100_000),
            Fact.didRenew("3", day(372), day(737)).priced(100_000))
        #expect(life.history.contains { $0.state == .grace && $0.at == day(7) })
        #expect(
            reported(life, .proceeds) == [
                "transactions": 2, "gross": 200_000, "proceeds": 155_000, "atHigherRate": 1,
            ])
    }

    @Test("A restored purchase is paid once")
    func restored() {
        let item = { (snapshot: inout TransactionSnapshot) in
            snapshot.webOrderLineItemId = WebOrderLineItemId("w")
        }
        let life = given(
            bought.transaction(item),
            Fact.transaction("2", day(5), day(30), at: day(5)).priced(10_000).transaction(item))
        #expect(reported(life, .revenue) == ["transactions": 1, "gross": 10_000])
    }

    @Test("Proceeds are 70 %, and 85 % from the purchase that completes a year of paid service")
    func proceeds() {
        func life(_ count: Int64, gapAfter: Int64? = nil, of gap: Int64 = 0) -> Lifecycle {
            given(
                (0..<count).map { number in
                    let shift = gapAfter.map { number > $0 ? gap : 0 } ?? 0
                    let start = day(number * 73 + shift)
                    return Fact.didRenew("\(number + 1)", start, day(number * 73 + shift + 73))
                        .priced(10_000)
                })
        }
        #expect(
            reported(life(5), .proceeds) == [
                "transactions": 5, "gross": 50_000, "proceeds": 35_000,
            ])
        #expect(reported(life(6), .proceeds)["proceeds"] == 43_500)
        #expect(reported(life(6), .proceeds)["atHigherRate"] == 1)
        #expect(reported(life(6, gapAfter: 2, of: 60), .proceeds)["atHigherRate"] == 1)
        #expect(reported(life(6, gapAfter: 2, of: 61), .proceeds)["atHigherRate"] == nil)
    }

    // MARK: Retention

    @Test("Retention: steps reached, and steps possible by now")
    func retention() {
        let life = given(bought, renewed, .autoRenew(false, at: day(40)), .expired(at: day(60)))
        func reported(_ limit: Timestamp) -> [String: Int64] {
            self.reported(life, .retention, limit: limit)
        }
        #expect(reported(day(20)) == ["cohort": 1])
        #expect(reported(day(59)) == ["cohort": 1, "step.2.reached": 1, "step.2.chance": 1])
        let lost = reported(day(60))
        #expect(lost["step.3.chance"] == 1 && lost["step.3.reached"] == nil)
        #expect(lost["step.4.chance"] == nil)
        #expect(reported(day(92))["step.4.chance"] == 1)
    }

    @Test("The cohort begins with the first paid period, not with the trial before it")
    func cohort() {
        let life = given(trial, Fact.didRenew("2", day(7), day(37)).priced(10_000))
        let found = life.occurrences(
            of: .retention, in: app, catalogue: Catalogue(), limit: day(20), instants: [])
        #expect(found.map { $0.at } == [day(7)])
        #expect(reported(given(trial), .retention).isEmpty)
        #expect(reported(given(.didRenew("9", day(0), day(30))), .retention).isEmpty)
    }
}
