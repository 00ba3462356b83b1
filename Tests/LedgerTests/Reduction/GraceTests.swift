import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 5: grace.
@Suite("Rule 5: grace")
struct GraceTests {
    private let bought = Fact.subscribed("1", day(0), day(30))
    private let failed = Fact.didFailToRenew(at: day(30), grace: day(36))

    @Test(
        "A failure before the end is over where auto-renew is turned off before the end",
        arguments: [nil, day(46)])
    func cancelledBeforeEnd(_ grace: Timestamp?) throws {
        let early = Fact.didFailToRenew(at: day(29, 12 * hour), grace: grace)
        let off = Fact.autoRenew(false, at: day(29, 18 * hour))
        let ended = [Start(.subscribed, day(0)), Start(.expired, day(30))]
        let life = given(bought, early, off)
        expectHistory(life, ended)
        let answer = try #require(life.answer(at: day(29, 20 * hour), now: day(29, 20 * hour)))
        #expect(answer.willRenew == false && answer.accessUntil == day(30))
        #expect(life.notices(.renewalOverdue).isEmpty)
        let expired = given(bought, early, off, .expired(.voluntary, at: day(30, 20 * second)))
        expectHistory(expired, ended)
        #expect(expired.intervals.last?.reason == .voluntary)
        #expect(expired.notices(.unexplainedExpiry).isEmpty)
        let renewed = given(bought, early, off, .didRenew("2", day(30), day(60), at: day(31)))
        #expect(renewed.history[1...].map(\.state) == [.renewing, .expired])
        // Turned on again, at the end, or failed again: Apple tries to renew it.
        let failing: ChainState = grace == nil ? .billingRetry : .grace
        let again = Fact.autoRenew(true, at: day(29, 20 * hour))
        let failed = Fact.didFailToRenew(at: day(29, 20 * hour), grace: grace)
        let late = Fact.autoRenew(false, at: day(30))
        for facts in [[off, again], [off, failed], [late]] {
            #expect(given([bought, early] + facts).history[1] == Start(failing, day(30)))
        }
    }

    /// DID_FAIL_TO_RENEW / GRACE_PERIOD without a date.
    private func undated(_ signedDate: Timestamp) -> Fact {
        .notification(.didFailToRenew, .gracePeriod, at: signedDate)
    }

    @Test("Grace without a date lasts three days at most, with a notice")
    func threeDays() {
        for fact in [undated(day(30)), .status(.billingGracePeriod, at: day(30))] {
            let life = given(bought, fact)
            #expect(life.history[2] == Start(.billingRetry, day(33)))
            #expect(life.notices(.unknownValue).map(\.evidence) == [[2]])
        }
        #expect(given(bought, failed).notices(.unknownValue).isEmpty)
    }

    @Test(
        "Undated grace ends at the first status 3 or GRACE_PERIOD_EXPIRED, within three days",
        arguments: [
            (day(31), day(31)), (day(33), day(33)), (day(33, 1), day(33)), (day(50), day(33)),
        ] as [(Timestamp, Timestamp)])
    func undatedEnds(_ signedDate: Timestamp, _ end: Timestamp) {
        let words: [Fact] = [
            .status(.billingRetry, at: signedDate),
            .notification(.gracePeriodExpired, at: signedDate),
        ]
        for word in words {
            let life = given(bought, undated(day(30)), word, .status(.billingRetry, at: day(60)))
            #expect(life.history[1] == Start(.grace, day(30)))
            #expect(life.history[2] == Start(.billingRetry, end))
        }
    }

    @Test("The cause of grace's end by the clock is the fact that stated its date")
    func cause() {
        let life = given(bought, failed)
        #expect(life.transitions.map(\.cause) == [1, 2, 2, 1])
        let said = given(bought, failed, .notification(.gracePeriodExpired, at: day(36)))
        #expect(said.transitions.map(\.cause) == [1, 2, 3, 1])
    }
}
