import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2, "Renewal infos": statements before an end do not carry over to a purchase
/// after it.
@Suite("§2: the purchase of a renewal info")
struct RenewalSubjectTests {
    /// Bought, turned off on day 10, over on day 30.
    private let before: [Fact] = [
        .subscribed("1", day(0), day(30)), .autoRenew(false, at: day(10)),
        .expired(.voluntary, at: day(30)),
    ]
    /// Bought again on day 40; only the transaction is known.
    private let again = Fact.transaction("2", day(40), day(70), at: day(41))
        .transaction { $0.transactionReason = Raw(.purchase) }

    private func renewalInfo(
        _ isOn: Bool, at moment: Timestamp, until renewalDate: Timestamp? = nil
    ) -> Fact {
        .renewalInfo(at: moment) {
            $0.autoRenewStatus = Raw(isOn ? .on : .off)
            $0.renewalDate = renewalDate
        }
    }

    @Test("Auto-renew that was on before the end makes no renewal overdue after it")
    func notOverdue() {
        let life = given(
            .subscribed("1", day(0), day(30)), .autoRenew(true, at: day(5)),
            .expired(.billingRetry, at: day(31)), again)
        #expect(life.notices(.renewalOverdue).isEmpty)
    }

    @Test("Auto-renew that was off before the end explains no EXPIRED after it")
    func unexplained() {
        let life = given(before + [again, .expired(.billingRetry, at: day(71))])
        #expect(life.notices(.unexplainedExpiry).map(\.from) == [day(70)])
    }

    @Test("Turning it off after the purchase is a separate fact")
    func turnedOffAgain() {
        let life = given(before + [again, .autoRenew(false, at: day(50))])
        #expect(life.timelineEvents(.autoRenewDisabled).map(\.at) == [day(10), day(50)])
    }

    @Test("A renewal info about the purchase, however late, removes the notice")
    func explained() throws {
        let life = given(before + [again, renewalInfo(true, at: day(50))])
        #expect(life.answer(day(45))?.willRenew == nil)
        #expect(life.answer(day(50))?.willRenew == true)
        #expect(life.notices(.missingRenewalInfo).isEmpty)
    }

    @Test(
        "A renewal after an end is a new run, and proves that auto-renew was on at its start"
    )
    func renewal() {
        let renewed = Fact.didRenew("3", day(60), day(90))
        let life = given(before + [renewed])
        #expect(life.answer(day(65))?.willRenew == nil)
        #expect(life.notices(.missingRenewalInfo).map(\.from) == [day(60)])
        let off = given(before + [renewed, renewalInfo(false, at: day(80))])
        #expect(off.timelineEvents(.autoRenewDisabled).map(\.at) == [day(10), day(80)])
        #expect(off.answer(day(85))?.cancellation?.at == day(80))
    }

    @Test(
        "Outside Production a renewal may begin five minutes late",
        arguments: [(5 * minute, false), (5 * minute + 1, true)])
    func lateRenewal(_ gap: Int64, _ isUnknown: Bool) {
        let life = given(
            .subscribed("1", day(0), day(30)), .autoRenew(true, at: day(10)),
            .didRenew("2", day(30, gap), day(60)), environment: .sandbox)
        #expect(life.answer(day(31))?.willRenew == (isUnknown ? nil : true))
    }

    @Test("A lower-rank period does not join a purchase to an earlier run")
    func lowerRank() {
        let signed =
            before + [
                Fact.transaction("2", day(60), day(90), at: day(61)).transaction {
                    $0.transactionReason = Raw(.purchase)
                }
            ]
        let bridge = Fact.didRenew("9", day(30), day(60), at: day(30)).trusted(.secret)
        for facts in [signed, signed + [bridge]] {
            let life = given(facts)
            #expect(life.answer(day(75))?.willRenew == nil)
            #expect(life.intervals.last?.reason == .unconfirmed)
            #expect(life.notices(.missingRenewalInfo).map(\.from).contains(day(60)))
        }
    }

    @Test("One signed before the first known purchase is about an earlier one")
    func beforeFirst() {
        let life = given(renewalInfo(false, at: day(10)), again)
        #expect(life.answer(day(45))?.willRenew == nil)
        #expect(life.intervals.last?.reason == .unconfirmed)
        #expect(life.notices(.missingRenewalInfo).map(\.from) == [day(40)])
        let renewed = given(renewalInfo(false, at: day(10)), .didRenew("2", day(40), day(70)))
        #expect(renewed.answer(day(45))?.willRenew == nil)
        #expect(renewed.notices(.missingRenewalInfo).map(\.from) == [day(40)])
        let ahead = Fact.didRenew("2", day(40), day(70), at: day(39, 20 * hour))
        let decided = given(ahead, renewalInfo(false, at: day(39, 22 * hour)))
        #expect(decided.answer(day(45))?.willRenew == false)
    }

    @Test("A renewal info signed before the purchaseDate it came with is about that purchase")
    func signedAhead() {
        let ahead = Fact.resubscribed("2", day(40), day(70), at: day(40, -30 * second))
            .renewal { $0.autoRenewStatus = Raw(.on) }
        let life = given(before + [ahead])
        #expect(life.answer(day(40, -1))?.willRenew == false)
        #expect(life.answer(day(40))?.willRenew == true)
        #expect(life.intervals.map(\.reason) == [nil, .voluntary, nil, .unconfirmed])
    }

    @Test(
        "One signed after the end that states a later renewalDate is about an unknown period",
        arguments: [(999, true), (1_000, nil)] as [(Int64, Bool?)])
    func unknownPeriod(_ later: Int64, _ expected: Bool?) {
        let life = given(
            before + [again, renewalInfo(true, at: day(80), until: day(70, later))])
        #expect(life.answer(day(85))?.willRenew == expected)
        #expect(life.notices(.missingRenewalInfo).isEmpty == (expected != nil))
        #expect(life.notices(.renewalOverdue).isEmpty == (expected == nil))
    }

    @Test("One about an unknown period leaves the reason of the end unconfirmed")
    func unknownAfterwards() {
        let unknown = Fact.notification(.consumptionRequest, "1", day(0), day(30), at: day(35))
            .renewal {
                $0.autoRenewStatus = Raw(.on)
                $0.renewalDate = day(60)
            }
        let life = given(.subscribed("1", day(0), day(30)), .autoRenew(false, at: day(10)), unknown)
        #expect(life.intervals.last?.reason == .unconfirmed)
        #expect(life.answer(day(34))?.willRenew == false)
        #expect(life.answer(day(35))?.willRenew == nil)
    }

    @Test(
        "One about an unknown period leaves a later EXPIRED unexplained, and no earlier one",
        arguments: [(-1, true), (0, false), (120 * hour, false)] as [(Int64, Bool)])
    func unknownAfterExpiry(_ later: Int64, _ isRaised: Bool) {
        let unknown = Fact.notification(
            .consumptionRequest, "1", day(0), day(30), at: day(31, later)
        ).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.renewalDate = day(60)
        }
        let life = given(
            .subscribed("1", day(0), day(30)), .autoRenew(false, at: day(10)),
            .expired(.voluntary, at: day(31)), unknown)
        #expect(life.notices(.unexplainedExpiry).isEmpty != isRaised)
        // One that came with the EXPIRED does not count, whenever it was signed.
        let own = Fact.expired(.voluntary, at: day(31)).renewal {
            $0.signedDate = day(31, later)
            $0.renewalDate = day(60)
        }
        let ended = given(
            .subscribed("1", day(0), day(30)), .autoRenew(false, at: day(10)), own)
        #expect(ended.notices(.unexplainedExpiry).isEmpty)
    }

    /// A notification about the first purchase, with a change of product and a price increase
    /// that are pending.
    private func planned(
        _ type: NotificationType, _ subtype: Subtype? = nil, at moment: Timestamp,
        until renewalDate: Timestamp
    ) -> Fact {
        .notification(type, "1", day(0), day(30), at: moment, subtype: subtype).renewal {
            $0.productId = ProductId("pro.monthly")
            $0.autoRenewProductId = ProductId("lite.monthly")
            $0.autoRenewStatus = Raw(.on)
            $0.priceIncreaseStatus = Raw(.customerHasNotResponded)
            $0.renewalDate = renewalDate
        }
    }

    @Test("Those about an unknown period do not repeat what an earlier one stated")
    func unknownRepeated() {
        let life = given(
            .subscribed("1", day(0), day(30)),
            planned(.didChangeRenewalPref, .downgrade, at: day(20), until: day(30)),
            planned(.consumptionRequest, at: day(40), until: day(60)),
            planned(.refundDeclined, at: day(41), until: day(60)))
        #expect(
            life.timelineEvents.map(\.name) == [
                .priceIncreasePending, .productChangeScheduled, .consumptionRequested,
                .refundDeclined,
            ])
    }

    @Test("A decision about an unknown period is known by the subtype")
    func unknownDecided() {
        let unknown = Fact.autoRenew(false, at: day(41)).renewal { $0.renewalDate = day(60) }
        let accepted = Fact.notification(.priceIncrease, .accepted, at: day(40)).renewal {
            $0.priceIncreaseStatus = Raw(.customerConsentedOrWasNotifiedWithoutNeedingConsent)
            $0.renewalDate = day(60)
        }
        let life = given(
            .subscribed("1", day(0), day(30)), .autoRenew(true, at: day(10)), accepted, unknown)
        #expect(life.answer(day(45))?.willRenew == nil)
        #expect(life.timelineEvents(.autoRenewDisabled).map(\.at) == [day(41)])
        #expect(life.timelineEvents(.priceIncreaseAccepted).map(\.at) == [day(40)])
    }

    @Test("One that came with the purchase itself is about it: it was extended")
    func extended() {
        let enabled = Fact.notification(
            .didChangeRenewalStatus, "1", day(0), day(30), at: day(30, hour),
            subtype: .autoRenewEnabled
        ).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.renewalDate = day(33)
        }
        let life = given(.subscribed("1", day(0), day(30)), .autoRenew(false, at: day(10)), enabled)
        #expect(life.answer(day(31))?.willRenew == true)
        #expect(life.notices(.renewalOverdue).map(\.from) == [day(30)])
        #expect(life.timelineEvents(.autoRenewEnabled).map(\.at) == [day(30, hour)])
    }

    @Test("A statement about another run between two of one run changes neither")
    func between() {
        func pending(at moment: Timestamp) -> Fact {
            Fact.notification(.priceIncrease, .pending, at: moment).renewal {
                $0.productId = ProductId("pro.monthly")
                $0.autoRenewProductId = ProductId("lite.monthly")
                $0.autoRenewStatus = Raw(.on)
                $0.priceIncreaseStatus = Raw(.customerHasNotResponded)
            }
        }
        let ahead = Fact.resubscribed("2", day(40), day(70), at: day(34)).renewal {
            $0.autoRenewStatus = Raw(.on)
        }
        let life = given(
            .subscribed("1", day(0), day(30)), pending(at: day(33)), ahead, pending(at: day(35)))
        #expect(life.timelineEvents(.productChangeScheduled).map(\.at) == [day(33)])
        #expect(life.timelineEvents(.priceIncreasePending).map(\.at) == [day(33)])
    }

    @Test("One with a failed payment is about the ended period, whatever its date")
    func failing() {
        let failed = Fact.didFailToRenew(at: day(70, second)).renewal { $0.renewalDate = day(100) }
        let life = given(before + [again, failed])
        #expect(life.answer(day(71))?.willRenew == true)
        #expect(life.notices(.missingRenewalInfo).isEmpty)
    }

    @Test("A chain without any renewal info raises nothing")
    func none() {
        expectNotices(given(.subscribed("1", day(0), day(30)), again), [])
    }
}

/// `Lifecycle.md` §2, `willRenew` and `cancellation`.
@Suite("§2: auto-renew before the statement that first states the period")
struct FirstStatedAutoRenewTests {
    private func life(_ isOn: Bool, _ type: NotificationType) -> Lifecycle {
        given(
            Fact.notification(
                type, "1", day(0), day(30), at: day(10),
                subtype: isOn ? .autoRenewEnabled : .autoRenewDisabled
            ).renewal { $0.autoRenewStatus = Raw(isOn ? .on : .off) })
    }

    @Test("After AUTO_RENEW_ENABLED it was off since an unknown time")
    func enabled() throws {
        let life = life(true, .didChangeRenewalStatus)
        let before = try #require(life.answer(day(10, -1)))
        #expect(before.willRenew == nil && before.cancellation == nil)
        #expect(life.answer(day(10))?.willRenew == true)
    }

    @Test("Of a commitment, too")
    func commitment() {
        let life = given(
            Fact.notification(
                .didChangeRenewalStatus, "1", day(0), day(30), at: day(10),
                subtype: .autoRenewDisabled
            ).renewal {
                $0.autoRenewStatus = Raw(.on)
                $0.commitment = .init(autoRenewStatus: Raw(.off))
            })
        #expect(life.answer(day(5))?.willRenew == true)
        #expect(life.answer(day(5))?.commitment?.willRenew == true)
        #expect(life.answer(day(10))?.commitment?.willRenew == false)
    }

    @Test("Signed in the same millisecond as another statement, in any order", arguments: [1, 2])
    func sameMillisecond(_ order: UInt64) {
        let disabled = Fact.notification(
            .didChangeRenewalStatus, "1", day(0), day(30), at: day(10), subtype: .autoRenewDisabled
        ).renewal { $0.autoRenewStatus = Raw(.off) }
        let other = Fact.notification(.consumptionRequest, "1", day(0), day(30), at: day(10))
            .renewal { $0.autoRenewStatus = Raw(.off) }
        let life = given(disabled.digest(order), other.digest(3 - order))
        #expect(life.answer(day(5))?.willRenew == true)
        #expect(life.timelineEvents(.autoRenewDisabled).map(\.at) == [day(10)])
    }

    @Test("A first statement with a later purchase's renewal info does not apply to this one")
    func laterPurchase() {
        let refund = Fact.notification(.refund, "2", day(40), day(70), at: day(60))
            .revoked(day(52)).renewal { $0.autoRenewStatus = Raw(.off) }
        let life = given(
            .subscribed("1", day(0), day(30)), .expired(.voluntary, at: day(30)),
            .resubscribed("3", day(55), day(85), at: day(55)), .autoRenew(false, at: day(58)),
            refund)
        #expect(life.answer(day(45))?.willRenew == nil)
    }

    @Test("Another statement applies before its date, too, but dates no cancellation")
    func another() {
        let life = life(false, .consumptionRequest)
        #expect(life.answer(day(5))?.willRenew == false)
        #expect(life.answer(day(5))?.cancellation == nil)
        #expect(life.answer(day(10))?.cancellation?.at == day(10))
    }
}
