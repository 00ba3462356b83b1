import AppStore
import Ledger
import Testing

/// A renewal date counts by RENEWAL_EXTENDED alone (`Lifecycle.md` §2 rule 4); a later one from
/// another source raises a notice.
@Suite("Ends stated only by a renewal info")
struct UnstatedExtensionTests {
    private func later(
        _ date: Timestamp, _ type: NotificationType = .didChangeRenewalStatus
    ) -> Fact {
        .notification(type, "1", day(0), day(30), at: day(20)).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.renewalDate = date
        }
    }

    @Test(
        "From a second after every end it raises a notice, and changes nothing",
        arguments: [(day(30), 0), (day(30, 999), 0), (day(30, 1_000), 1), (day(44), 1)])
    func reported(_ date: Timestamp, _ count: Int) {
        let life = given(.subscribed("1", day(0), day(30)), later(date))
        #expect(life.notices(.unconfirmedStatement).count == count)
        #expect(life.answer(day(20))?.accessUntil == day(30))
    }

    @Test("RENEWAL_EXTENDED, or a purchase for that time, settles it")
    func settled() {
        let bought = Fact.subscribed("1", day(0), day(30))
        let extended = given(bought, later(day(44)), later(day(44), .renewalExtended))
        #expect(extended.notices(.unconfirmedStatement).isEmpty)
        #expect(extended.answer(day(20))?.accessUntil == day(44))
        let renewed = given(bought, later(day(60)), .didRenew("2", day(30), day(60)))
        #expect(renewed.notices(.unconfirmedStatement).isEmpty)
    }

    @Test(
        "While a payment is pending the date has another meaning",
        arguments: [
            Fact.didFailToRenew(at: day(30)), .didFailToRenew(at: day(30), grace: day(46)),
            Fact.status(.billingRetry, at: day(31)).renewal { _ in },
            Fact.status(.billingGracePeriod, at: day(31)).renewal { _ in },
        ])
    func awaited(_ word: Fact) {
        let life = given(
            .subscribed("1", day(0), day(30)), word.renewal { $0.renewalDate = day(46) })
        #expect(life.notices(.unconfirmedStatement).isEmpty)
    }

    @Test("A refunded or upgraded period raises nothing")
    func over() {
        let bought = Fact.subscribed("1", day(0), day(30))
        #expect(
            given(bought, later(day(44)).revoked(day(10))).notices(.unconfirmedStatement).isEmpty)
        let upgraded = later(day(44)).transaction { $0.isUpgraded = true }
        #expect(given(bought, upgraded).notices(.unconfirmedStatement).isEmpty)
    }
}
