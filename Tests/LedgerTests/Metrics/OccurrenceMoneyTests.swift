import AppStore
import Ledger
import Testing

/// One chain's contribution to each metric of money.
@Suite("Occurrences of money of one chain")
struct OccurrenceMoneyTests {
    private let bought = Fact.subscribed("1", day(0), day(30)).priced(10_000)
    private let renewed = Fact.didRenew("2", day(30), day(60)).priced(10_000)
    private var trial: Fact { Fact.subscribed("1", day(0), day(7)).asTrial }

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

    @Test("By purchase a refund counts until its reversal, which may be known already")
    func reversed() {
        let reversal = Fact.notification(.refundReversed, "1", day(0), day(30), at: day(12))
        let life = given(bought, refunded(nil), reversal.priced(10_000))
        for limit in [day(11), day(12)] {
            #expect(
                reported(life, .refundsByPurchase, limit: limit) == [
                    "transactions": 1, "gross": 10_000, "refunds": 1, "refunded": 10_000,
                ])
        }
        #expect(
            reported(life, .refundsByPurchase) == ["transactions": 1, "gross": 10_000])
    }

    @Test("A one-time purchase bought again after its refund is a payment of its own")
    func boughtAgain() {
        func purchase(_ id: String, _ from: Timestamp, at: Timestamp? = nil) -> Fact {
            Fact.notification(.oneTimeCharge, id, from, from, at: at ?? from).transaction {
                $0.type = Raw(.nonConsumable)
                $0.expiresDate = nil
            }
        }
        let life = given(
            purchase("1", day(0)).priced(10_000),
            purchase("1", day(0), at: day(10)).priced(10_000).revoked(day(9)),
            purchase("2", day(20)).priced(25_000))
        #expect(
            reported(life, .revenue) == [
                "transactions": 2, "gross": 35_000, "refunded": 10_000,
            ])
        #expect(reported(life, .refunds) == ["refunds": 1, "refunded": 10_000])
        #expect(
            reported(life, .refundsByPurchase) == [
                "transactions": 2, "gross": 35_000, "refunds": 1, "refunded": 10_000,
            ])
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

    @Test(
        "A year that a change of clocks shortens by an hour is a year of paid service",
        arguments: [(0, 1), (hour, 1), (hour + 1, nil)] as [(Int64, Int64?)])
    func proceedsAcrossClockChange(_ missing: Int64, _ higher: Int64?) {
        let end = day(365, -missing)
        let life = given(
            Fact.subscribed("1", day(0), end).priced(100_000),
            Fact.didRenew("2", end, day(730)).priced(100_000))
        #expect(reported(life, .proceeds)["atHigherRate"] == higher)
    }

    @Test("A purchase in grace begins its own service")
    func proceedsOfPurchaseInGrace() {
        let life = given(
            Fact.subscribed("1", day(0), day(356)).priced(100_000),
            .didFailToRenew(at: day(356, hour), grace: day(372)),
            Fact.resubscribed("2", day(367), day(374)).priced(100_000),
            Fact.didRenew("3", day(374), day(381)).priced(100_000))
        #expect(life.history.contains { $0.state == .grace && $0.at == day(356) })
        #expect(reported(life, .proceeds)["atHigherRate"] == nil)
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
        let late = Fact.transaction("2", day(40), day(30), at: day(40)).priced(10_000)
        let restored = given(bought.transaction(item), late.transaction(item))
        #expect(reported(restored, .revenue) == ["transactions": 1, "gross": 10_000])
    }

    @Test("The refund of a purchase and its copy is one, and so is its reversal")
    func refundOfCopies() {
        func stated(_ id: String, at signedDate: Timestamp, isRefunded: Bool) -> Fact {
            let fact = Fact.transaction(id, day(0), day(30), at: signedDate).priced(10_000)
                .transaction { $0.webOrderLineItemId = WebOrderLineItemId("w") }
            return isRefunded ? fact.revoked(day(9)) : fact
        }
        let life = given(
            stated("1", at: day(0), isRefunded: false), stated("1", at: day(10), isRefunded: true),
            stated("2", at: day(11), isRefunded: true), stated("1", at: day(12), isRefunded: false))
        #expect(
            reported(life, .revenue) == [
                "transactions": 1, "gross": 10_000, "refunded": 10_000, "reversed": 10_000,
            ])
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

    /// Periods of 305 and four times 30 days; the second is refunded at some day, and that may be
    /// reversed.
    private func refundedLife(_ percentage: Int64?, _ refund: Int64, reversed: Int64?)
        -> Lifecycle
    {
        let bounds: [Int64] = [0, 305, 335, 365, 395, 425]
        var facts = zip(bounds, bounds.dropFirst()).enumerated().map { index, bound in
            Fact.didRenew("\(index + 1)", day(bound.0), day(bound.1)).priced(10_000)
        }
        facts.append(
            Fact.notification(.refund, "2", day(305), day(335), at: day(refund, hour))
                .priced(10_000).revoked(day(refund))
                .transaction { $0.revocationPercentage = percentage })
        if let reversed {
            facts.append(
                Fact.notification(.refundReversed, "2", day(305), day(335), at: day(reversed))
                    .priced(10_000))
        }
        return given(facts)
    }

    @Test(
        "Paid service ends at a refund, and one of the whole price leaves none of the period",
        arguments: [
            (nil, 310, nil, 1), (100_000, 340, nil, 1), (50_000, 320, nil, 1),
            (50_000, 305, nil, 1), (50_000, 340, nil, 2), (nil, 310, 350, 2),
        ] as [(Int64?, Int64, Int64?, Int64)])
    func proceedsAfterRefund(
        _ percentage: Int64?, _ refund: Int64, _ reversed: Int64?, _ higher: Int64
    ) {
        // Unless it lost days, the purchase of day 365 completes the year; else that of day 395.
        let life = refundedLife(percentage, refund, reversed: reversed)
        #expect(reported(life, .proceeds)["atHigherRate"] == higher)
    }

    @Test("A share stays as it was at the purchase, whatever is refunded or reversed later")
    func proceedsBeforeRefund() {
        let refunded = refundedLife(nil, 370, reversed: nil)
        for limit in [day(370), day(371)] {
            #expect(reported(refunded, .proceeds, limit: limit)["atHigherRate"] == 1)
        }
        #expect(reported(refunded, .proceeds)["atHigherRate"] == 2)
        let reversed = refundedLife(nil, 340, reversed: 400)
        #expect(reported(reversed, .proceeds)["atHigherRate"] == 1)
    }

    @Test(
        "A period that was refunded as a whole is a gap",
        arguments: [(60, 2), (61, 1)] as [(Int64, Int64)])
    func proceedsAfterRefundedGap(_ length: Int64, _ higher: Int64) {
        let end = day(365 + length)
        let life = given(
            Fact.subscribed("1", day(0), day(365)).priced(10_000),
            Fact.didRenew("2", day(365), end).priced(10_000),
            Fact.notification(.refund, "2", day(365), end, at: day(367)).priced(10_000)
                .revoked(day(366)),
            Fact.didRenew("3", end, day(1_000)).priced(10_000))
        #expect(reported(life, .proceeds)["atHigherRate"] == higher)
    }
}
