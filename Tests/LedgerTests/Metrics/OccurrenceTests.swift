import AppStore
import Ledger
import Testing

/// One chain's contribution to each counted metric.
@Suite("Occurrences of one chain")
struct OccurrenceTests {
    private let bought = Fact.subscribed("1", day(0), day(30)).priced(10_000)
    private let renewed = Fact.didRenew("2", day(30), day(60)).priced(10_000)
    private var trial: Fact { Fact.subscribed("1", day(0), day(7)).asTrial }

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
        // A paid renewal that was replaced by another free period before it began.
        let replaced = Fact.didRenew("2", day(7), day(37), at: day(6)).priced(10_000)
        let free = Fact.notification(.offerRedeemed, "3", day(6, 500), day(20)).asTrial
        let both = reported(given(trial, replaced, free), .trials)
        #expect(both == ["trials": 2, "ended": 2])
        let early = replaced.asTrial
        let year = Fact.notification(
            .didChangeRenewalPref, "3", day(6, 500), day(400), subtype: .upgrade
        ).priced(90_000)
        #expect(reported(given(trial, early, year), .trials)["trials"] == 1)
        // Bought again after expiry: won back, not converted.
        let late = Fact.resubscribed("2", day(20), day(50)).priced(10_000)
        #expect(reported(given(trial, .expired(at: day(7)), late), .trials) == ended)
        // Paid out of billing retry: the same run.
        let recovered = Fact.didRenew("2", day(9), day(39)).priced(10_000)
        #expect(
            reported(given(trial, .didFailToRenew(at: day(7)), recovered), .trials) == converted)
    }

    @Test("A trial in grace or billing retry is pending; it ends with them, or with its revocation")
    func undecidedTrials() {
        let pending = ["trials": 1, "pending": 1] as [String: Int64]
        let ended = ["trials": 1, "ended": 1] as [String: Int64]
        let converted = ended.merging(["converted": 1]) { $1 }
        let failed = Fact.didFailToRenew(at: day(7), grace: day(13))
        func recovered(_ from: Timestamp) -> Fact {
            Fact.didRenew("2", from, day(39), at: day(9), .billingRecovery).priced(10_000)
        }
        let lost = given(
            trial, failed, .notification(.gracePeriodExpired, at: day(13)),
            .expired(.billingRetry, at: day(60)))
        let refund = Fact.notification(.refund, "1", day(0), day(7), at: day(4)).asTrial
            .revoked(day(3))
        let reversal = Fact.notification(.refundReversed, "1", day(0), day(7), at: day(5)).asTrial
        let reversed = given(trial, refund, reversal)
        let cases: [(life: Lifecycle, limit: Timestamp, sums: [String: Int64])] = [
            (lost, day(7), pending), (lost, day(10), pending), (lost, day(13), pending),
            (lost, day(60, -1), pending), (lost, day(60), ended),
            // Paid in grace: with a date of its own, or from the end of the trial.
            (given(trial, failed, recovered(day(9))), day(8), pending),
            (given(trial, failed, recovered(day(9))), day(9), converted),
            (given(trial, failed, recovered(day(7))), day(8), pending),
            (given(trial, failed, recovered(day(7))), day(9), converted),
            (given(trial, refund), day(2), pending), (given(trial, refund), day(5), ended),
            (reversed, day(4), ended), (reversed, day(6), pending), (reversed, day(8), ended),
        ]
        for (index, (life, limit, sums)) in cases.enumerated() {
            #expect(reported(life, .trials, limit: limit) == sums, "\(index)")
        }
    }

    // MARK: Renewals

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

    @Test("A refund that was reversed does not make one failed renewal two")
    func interrupted() {
        let facts = [
            bought, .didFailToRenew(at: day(30)),
            .notification(.refund, "1", day(0), day(30), at: day(32)).revoked(day(32)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(34)),
        ]
        #expect(
            reported(given(facts), .recoveries, limit: day(39)) == [
                "billingRetry.entered": 1, "billingRetry.open": 1,
            ])
        let paid = given(facts + [.didRenew("2", day(39), day(69), .billingRecovery)])
        #expect(
            reported(paid, .recoveries) == [
                "billingRetry.entered": 1, "billingRetry.recovered": 1,
                "billingRetry.within14": 1, "billingRetry.within30": 1,
                "billingRetry.within60": 1,
            ])
        let refunded = given(Array(facts.prefix(3)))
        #expect(reported(refunded, .recoveries) == ["billingRetry.entered": 1])
    }

    @Test("Recovered within days, the last one included; what is recovered at the limit is open")
    func recoveredAtBounds() {
        func recovered(_ failed: Fact, _ from: Timestamp) -> Lifecycle {
            given(bought, failed, .didRenew("2", from, day(70), at: from, .billingRecovery))
        }
        let retry = recovered(.didFailToRenew(at: day(30)), day(37))
        #expect(reported(retry, .recoveries)["billingRetry.within7"] == 1)
        #expect(
            reported(retry, .recoveries, limit: day(37)) == [
                "billingRetry.entered": 1, "billingRetry.open": 1,
            ])
        let late = recovered(.didFailToRenew(at: day(30)), day(37, 1))
        #expect(reported(late, .recoveries)["billingRetry.within7"] == nil)
        let grace = recovered(.didFailToRenew(at: day(30), grace: day(46)), day(33))
        #expect(reported(grace, .recoveries)["grace.within3"] == 1)
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

    // MARK: Retention

    @Test("Retention: steps reached, and steps possible by now")
    func retention() {
        let life = given(bought, renewed, .autoRenew(false, at: day(40)), .expired(at: day(60)))
        func known(_ limit: Timestamp) -> [String: Int64] {
            reported(life, .retention, limit: limit)
        }
        #expect(known(day(20)) == ["cohort": 1])
        #expect(known(day(59)) == ["cohort": 1, "step.2.reached": 1, "step.2.chance": 1])
        let lost = known(day(60))
        #expect(lost["step.3.chance"] == 1 && lost["step.3.reached"] == nil)
        #expect(lost["step.4.chance"] == nil)
        #expect(known(day(92))["step.4.chance"] == 1)
        // The first paid period of an adopted chain is unknown.
        #expect(reported(given(.didRenew("9", day(0), day(30))), .retention).isEmpty)
    }
}
