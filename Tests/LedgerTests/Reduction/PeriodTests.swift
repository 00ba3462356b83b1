import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rules 4 and 7.
@Suite("Rules 4 and 7: periods, their order and their label")
struct PeriodTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    /// A renewal of day 30 that is signed before, and what the customer buys before it begins.
    private func replaced(_ later: Fact...) -> Lifecycle {
        given([bought, early, upgrade(until: day(394))] + later)
    }

    private let early = Fact.didRenew("2", day(30), day(60), at: day(29))

    private func upgrade(until end: Timestamp) -> Fact {
        .notification(.didChangeRenewalPref, "3", day(29, 500), end, subtype: .upgrade)
    }

    private func renewal(_ signed: Timestamp) -> Fact {
        .transaction("2", day(30), day(60), at: signed).transaction {
            $0.transactionReason = Raw(.renewal)
        }
    }

    private func about(_ type: NotificationType, _ signed: Timestamp) -> Fact {
        .notification(type, "2", day(30), day(60), at: signed).transaction {
            $0.transactionReason = Raw(.renewal)
        }
    }

    /// The refund of that purchase, before the renewal begins.
    private let refund = Fact.notification(
        .refund, "3", day(29, 500), day(394), at: day(29, 700)
    ).revoked(day(29, 600))

    @Test("A renewal that was replaced before it began never governs")
    func replacedEarly() {
        let expected = [
            Start(.subscribed, day(0)), Start(.renewing, day(29, 500)), Start(.expired, day(394)),
        ]
        let upgraded = renewal(day(31)).transaction { $0.isUpgraded = true }
        let refunded = renewal(day(29, 400)).revoked(day(29, 400))
        for life in [replaced(), replaced(upgraded), replaced(refunded)] {
            expectHistory(life, expected)
            #expect(life.notices(.missingPeriod).isEmpty && life.notices(.contradiction).isEmpty)
            #expect(life.standing(of: TransactionId("2"), at: day(31))?.outcome != .current)
            #expect(life.answer(day(45))?.transactionId == TransactionId("3"))
        }
        // Stated by a later history only.
        let unheard = given(bought, upgrade(until: day(394)), upgraded)
        #expect(unheard.history == expected && unheard.notices(.missingPeriod).isEmpty)
        func stated(_ reason: TransactionReason?) -> Fact {
            early.transaction { $0.transactionReason = reason.map(Raw.init) }
        }
        expectHistory(given(bought, stated(nil), upgrade(until: day(394))), expected)
        let purchase = given(bought, stated(.purchase), upgrade(until: day(394)))
        #expect(purchase.answer(day(45))?.transactionId == TransactionId("2"))
    }

    @Test("What is stated about the money of a replaced renewal does not bring it back")
    func moneyOfReplaced() {
        let year = [
            Start(.subscribed, day(0)), Start(.renewing, day(29, 500)), Start(.expired, day(394)),
        ]
        let refund = about(.refund, day(35)).revoked(day(35))
        let upgraded = renewal(day(29, 600)).transaction { $0.isUpgraded = true }
        let early = about(.refund, day(29, 700)).revoked(day(29, 700))
        for later in [
            [refund], [refund, renewal(day(40)).revoked(day(35))],
            [about(.consumptionRequest, day(33)), about(.refundDeclined, day(36))],
            [early, about(.refundReversed, day(37))], [refund, renewal(day(38))],
            [upgraded, refund.transaction { $0.isUpgraded = true }],
        ] {
            let life = given([bought, self.early, upgrade(until: day(394))] + later)
            expectHistory(life, year)
            #expect(life.notices(.missingPeriod).isEmpty)
        }
    }

    @Test("A history that starts with a replaced renewal has it until its replacement")
    func startsWithReplaced() {
        func product(_ fact: Fact, _ name: String) -> Fact {
            fact.transaction { $0.productId = ProductId(name) }
        }
        let life = given(product(early, "basic"), product(upgrade(until: day(394)), "pro"))
        expectHistory(
            life,
            [
                Start(.renewing, day(29)), Start(.renewing, day(29, 500)),
                Start(.expired, day(394)),
            ])
        #expect(life.timelineEvents(.upgraded).map(\.at) == [day(29, 500)])
        #expect(life.timelineEvents(.renewed).map(\.at) == [day(29, 500)])
        // Where a lower rank states the time before, it is replaced.
        let lower = given(bought.trusted(.secret), early, upgrade(until: day(394)))
        #expect(lower.standing(of: TransactionId("2"), at: day(29, 900))?.outcome != .upcoming)
        #expect(lower.standing(of: TransactionId("1"), at: day(29))?.to == day(29, 500))
        // A gap before ends where the replacement begins.
        let gap = given(.subscribed("1", day(0), day(8)), early, upgrade(until: day(394)))
        #expect(gap.notices(.missingPeriod).map { $0.period?.to } == [day(29, 500)])
    }

    @Test("A replaced renewal does not hide its replacement from the judgement of lower ranks")
    func ranksBesideReplaced() {
        let running = bought.transaction { $0.isUpgraded = true }
        let invented = Fact.transaction("4", day(29, 200), day(59), at: day(29, 200))
            .trusted(.secret).transaction { $0.productId = ProductId("other") }
        let known = [running, early, upgrade(until: day(394))]
        expectHistory(given(known + [invented]), given(known).history)
    }

    @Test("What a lower rank states in between does not bring a replaced renewal back")
    func replacedBesideALowerRank() {
        let other = Fact.transaction("4", day(29, 900), day(395), at: day(29, 900))
            .trusted(.secret).transaction { $0.productId = ProductId("other") }
        let life = replaced(other, renewal(day(31)).transaction { $0.isUpgraded = true })
        #expect(life.intervals.allSatisfy { $0.transactionId != TransactionId("2") })
        #expect(life.answer(day(200))?.isEntitled == true)
    }

    @Test("A replaced renewal is no change of product")
    func replacedProduct() {
        func product(_ fact: Fact, _ name: String) -> Fact {
            fact.transaction { $0.productId = ProductId(name) }
        }
        let life = given(
            bought, product(early, "plus"), product(upgrade(until: day(394)), "pro"))
        #expect(
            life.timelineEvents.filter { [.upgraded, .downgraded].contains($0.name) }.map(\.at)
                == [day(29, 500)])
    }

    @Test("Only a renewal is replaced, and only by what began within a day before it")
    func refundedBeforeItsStart() {
        let long = Fact.transaction("1", day(0), day(30, 500), at: day(30))
        let refund = renewal(day(29, 400)).revoked(day(29, 400))
        #expect(given(bought, early, long, refund).state(day(45)) == .revoked)
        let copy = Fact.transaction("2", day(9), day(30), at: day(40)).revoked(day(4))
        let first = given(bought.revoked(day(4)), copy)
        #expect(first.notices(.historyMissingBefore).isEmpty)
        #expect(first.state(day(10)) == .revoked)
    }

    @Test(
        "A renewal governs from its start if it is stated again, or its replacement is not proven")
    func notReplaced() {
        let active = renewal(day(31)).with { $0.status = Raw(.active) }
        let ended = Fact.notification(.expired, "2", day(30), day(60), at: day(60))
        for restated in [active, ended] {
            #expect(replaced(restated).state(day(60)) == .expired)
        }
        // While the replacement is unrevoked, a lone snapshot does not state that it began.
        let later = renewal(day(45)).revoked(day(44)).transaction { $0.isUpgraded = true }
        for restated in [renewal(day(29, 900)), renewal(day(31)), later] {
            #expect(replaced(restated).state(day(60)) == .renewing)
        }
        for other in [upgrade(until: day(30)), upgrade(until: day(394)).trusted(.secret)] {
            let life = given([bought, early, other])
            #expect(life.answer(day(31))?.transactionId == TransactionId("2"))
        }
    }

    @Test("Where the replacement is revoked by then, an unrevoked snapshot states that it began")
    func replacementRefunded() {
        let upgraded = renewal(day(31)).transaction { $0.isUpgraded = true }
        for silent in [renewal(day(29, 900)), upgraded, about(.refund, day(31)).revoked(day(31))] {
            #expect(replaced(refund, silent).history.last == Start(.revoked, day(29, 600)))
        }
        let notices = [about(.refundDeclined, day(31)), about(.consumptionRequest, day(31))]
        for restated in [renewal(day(31))] + notices.map({ $0.with { $0.status = Raw(.active) } }) {
            let life = replaced(refund, restated)
            let end = [Start(.renewing, day(30)), Start(.expired, day(60))]
            #expect(Array(life.history.suffix(2)) == end)
            #expect(life.notices(.contradiction).isEmpty)
        }
    }

    @Test("Of several replacements the last decides whether a snapshot brings the renewal back")
    func severalReplacements() {
        func other(_ from: Timestamp) -> Fact {
            .notification(.didChangeRenewalPref, "4", from, day(394), subtype: .upgrade)
        }
        let (first, last, lone) = (other(day(29, 400)), other(day(29, 800)), renewal(day(31)))
        // The last one is not revoked, or only a lower rank states that it is.
        let lower = last.trusted(.secret).revoked(day(29, 900))
        for others in [[refund, last], [first.revoked(day(29, 450))], [lower]] {
            let life = given([bought, early, upgrade(until: day(394)), lone] + others)
            #expect(life.answer(day(45))?.isEntitled == true)
            #expect(life.intervals.allSatisfy { $0.transactionId != TransactionId("2") })
        }
        for replacement in [first, first.transaction { $0.isUpgraded = true }] {
            let life = replaced(replacement, refund, lone)
            let end = [Start(.renewing, day(30)), Start(.expired, day(60))]
            #expect(Array(life.history.suffix(2)) == end)
            #expect(life.timelineEvents(.renewed).map(\.at) == [day(30)])
        }
    }

    @Test("Of quick upgrades that no payload calls renewals each governs, whenever it is stated")
    func quickUpgrades() {
        func stated(_ id: String, _ start: Timestamp, isUpgraded: Bool) -> Fact {
            .transaction(id, start, day(40), at: day(6)).transaction {
                $0.transactionReason = nil
                $0.isUpgraded = isUpgraded
            }
        }
        let life = given(
            stated("1", day(0), isUpgraded: true), stated("2", day(0, 500), isUpgraded: true),
            stated("3", day(5), isUpgraded: false))
        #expect(life.answer(day(2))?.transactionId == TransactionId("2"))
        #expect(life.answer(day(6))?.transactionId == TransactionId("3"))
    }

    @Test("With equal purchaseDates upgraded ones come first, then shorter ids, then smaller ids")
    func order() {
        func governing(_ first: Fact, _ second: Fact) -> [String?] {
            [given(first, second), given(second, first)].map {
                $0.answer(day(1))?.transactionId.rawValue
            }
        }
        let nine = Fact.transaction("9", day(0), day(30), at: day(0))
        let ten = Fact.transaction("10", day(0), day(30), at: day(0))
        let eleven = Fact.transaction("11", day(0), day(30), at: day(0))
        #expect(governing(nine, ten) == ["10", "10"])
        #expect(governing(ten, eleven) == ["11", "11"])
        #expect(governing(eleven.transaction { $0.isUpgraded = true }, nine) == ["9", "9"])
    }

    @Test("An empty period has no interval of its own", arguments: [0, -1, -365])
    func empty(_ length: Int64) {
        let life = given(.subscribed("1", day(0), day(length)))
        expectHistory(life, [Start(.expired, day(0))])
        let followed = given(
            .subscribed("1", day(0), day(length)), .resubscribed("2", day(3), day(33)))
        expectHistory(
            followed,
            [
                Start(.expired, day(0)), Start(.subscribed, day(3)), Start(.expired, day(33)),
            ])
    }

    @Test("An empty period has its failed payment")
    func emptyWithRenewal() {
        let failed = Fact.notification(
            .didFailToRenew, "1", day(0), day(-1), at: day(0, 1), subtype: .gracePeriod
        ).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.gracePeriodExpiresDate = day(6)
        }
        let paid = Fact.transaction("2", day(0), day(30), at: day(3))
        let history = given(failed, paid).history
        #expect(history.prefix(2) == [Start(.grace, day(0)), Start(.renewing, day(3))])
    }

    @Test("A lower-rank period before it ends no access of the early start")
    func adoptedEarlyBesideLowerRank() {
        let renewed = Fact.didRenew("2", day(0), day(30), at: day(-1))
        func lower(_ from: Timestamp, _ to: Timestamp) -> Fact {
            .notification(.didRenew, "9", from, to, at: day(0)).trusted(.secret)
        }
        let cancelled = lower(day(0, -second), day(0, 10)).revoked(day(0, -second))
        for invented in [
            cancelled, lower(day(-1, hour), day(0)), lower(day(-30), day(-1, hour)),
            lower(day(-30), day(-2)), lower(day(-30), day(0)).revoked(day(-1, hour)),
        ] {
            let life = given(renewed, invented)
            for moment in [day(-1), day(-1, hour), day(0, -second), day(0, -1), day(0)] {
                #expect(life.answer(moment)?.isEntitled == true)
            }
        }
        let life = given(renewed, cancelled)
        expectHistory(life, given(renewed).history)
        #expect(life.notices(.historyMissingBefore).map(\.from) == [day(-1)])
        // While it gives access, the lower rank's period is the one of that time.
        for end in [day(0), day(-1, hour)] {
            expectHistory(
                given(renewed, lower(day(-30), end)),
                [
                    Start(.subscribed, day(-30)), Start(.renewing, end), Start(.expired, day(30)),
                ])
        }
    }

    @Test("Other transactions make no periods beside auto-renewable ones")
    func otherKinds() {
        let consumable = Fact.transaction("7", day(3), day(3), at: day(3)).transaction {
            $0.type = Raw(.consumable)
        }
        expectHistory(given(bought, consumable), given(bought).history)
        // A payload without type makes a period if it has an end.
        let untyped = Fact.transaction("2", day(30), day(60), at: day(30)).transaction {
            $0.type = nil
        }
        #expect(given(bought, untyped).history.last == Start(.expired, day(60)))
        let unknown = untyped.transaction { $0.type = Raw(rawValue: "Rental") }
        expectHistory(given(bought, unknown), given(bought).history)
    }
}
