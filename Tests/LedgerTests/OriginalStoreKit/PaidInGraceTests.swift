import AppStore
import Ledger
import Testing

/// A failed payment is signed within seconds of the period's end; its later success in grace is
/// stated only by a lower rank. The period begins where the last one ended, before any of these
/// statements (`Lifecycle.md` §2 rule 5, anchor kept; §7).
@Suite("A payment in grace stated by a lower rank")
struct PaidInGraceTests {
    static let lower = SetAsideTests.lower

    private let failed = Fact.didFailToRenew(at: day(30, second), grace: day(46))

    private func recovered(
        by trust: Trust, reported: Timestamp, from: Timestamp = day(30)
    ) -> Fact {
        var fact = Fact.reported(
            trust == .secret ? .notificationV1 : .verifyReceipt,
            type: trust == .secret ? .didRenew : nil, at: reported)
        fact.transaction = .period("2", from, day(60))
        return fact.trusted(trust)
    }

    private func month(_ later: Fact...) -> [Fact] {
        [.subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) }] + later
    }

    /// As if it had not been stated.
    private func expectDenied(
        _ facts: [Fact], _ reported: Fact, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (with, without) = (given(facts + [reported]), given(facts))
        #expect(with.history == without.history, sourceLocation: sourceLocation)
        #expect(
            with.notices(.contradiction).count == without.notices(.contradiction).count + 1,
            sourceLocation: sourceLocation)
    }

    // MARK: Excluded

    @Test("A failure signed after it excludes it", arguments: lower)
    func statedBefore(_ trust: Trust) {
        expectDenied(month(failed), recovered(by: trust, reported: day(30, second)))
        let life = given(month(failed) + [recovered(by: trust, reported: day(30, second + 1))])
        #expect(life.notices(.contradiction).isEmpty)
    }

    @Test(
        "A later signed failure, or the end of grace, excludes it",
        arguments: [
            Fact.didFailToRenew(at: day(36), grace: day(46)),
            .status(.billingGracePeriod, at: day(36)), .status(.billingRetry, at: day(34)),
            .notification(.gracePeriodExpired, at: day(34)).renewal {
                $0.gracePeriodExpiresDate = day(46)
            },
            .expired(.billingRetry, at: day(34)), .didFailToRenew(at: day(34)),
            .status(.expired, at: day(34)).renewal { $0.gracePeriodExpiresDate = day(46) },
        ])
    func over(_ word: Fact) {
        expectDenied(month(failed, word), recovered(by: .secret, reported: day(35)))
    }

    @Test("A failure after the end of grace, or without grace, excludes it")
    func withoutGrace() {
        let late = Fact.didFailToRenew(at: day(46), grace: day(46))
        expectDenied(month(late), recovered(by: .secret, reported: day(50)))
        expectDenied(
            month(.didFailToRenew(at: day(30, 1))), recovered(by: .secret, reported: day(35)))
    }

    @Test("A period that begins a moment later has not kept the anchor")
    func movedAnchor() {
        expectDenied(
            month(failed), recovered(by: .secret, reported: day(35), from: day(30, 1)))
    }

    // MARK: Counted

    @Test("Grace lasts until it was stated, and the paid time follows", arguments: lower)
    func counts(_ trust: Trust) {
        let life = given(month(failed) + [recovered(by: trust, reported: day(35))])
        expectHistory(
            life,
            [
                Start(.subscribed, day(0)), Start(.grace, day(30)), Start(.renewing, day(35)),
                Start(.expired, day(60)),
            ])
        #expect(life.answer(day(50))?.trust == trust)
        #expect(life.notices(.contradiction).isEmpty)
    }

    @Test("Stated after the end of grace, it counts from there unless signed as over")
    func statedLate() {
        let life = given(month(failed) + [recovered(by: .transport, reported: day(55))])
        expectHistory(
            life,
            [
                Start(.subscribed, day(0)), Start(.grace, day(30)), Start(.renewing, day(46)),
                Start(.expired, day(60)),
            ])
    }

    @Test(
        "Grace that the renewal info of a pair states does not exclude it, whatever the status",
        arguments: SubscriptionStatus.allCases)
    func pair(_ status: SubscriptionStatus) {
        let asked = Fact.status(status, at: day(31)).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.gracePeriodExpiresDate = day(46)
        }
        for facts in [month(asked), month(failed, asked)] {
            let life = given(facts + [recovered(by: .secret, reported: day(35))])
            expectHistory(
                life,
                [
                    Start(.subscribed, day(0)), Start(.grace, day(30)), Start(.renewing, day(35)),
                    Start(.expired, day(60)),
                ])
        }
    }
}
