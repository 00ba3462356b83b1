import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §3: a cause lists every event that proves an entry, including date and reason.
@Suite("§3: all events that prove an entry")
struct CauseTests {
    private let bought = Fact.subscribed("1", day(0), day(30)).transaction {
        $0.transactionReason = nil
    }

    private func events(_ facts: Fact...) -> [[Int64]] {
        given([bought] + facts).transitions.map(\.events)
    }

    @Test("The end of a period: the facts with its date, its end and its reason")
    func expired() {
        #expect(events(.expired(at: day(31))) == [[1], [1, 2]])
        // Auto-renew off is the reason, although no fact states the end.
        #expect(events(.autoRenew(false, at: day(9))) == [[1], [1, 2]])
        // The status states the end, a later renewal info the reason.
        let why = Fact.renewalInfo(at: day(32)) { $0.expirationIntent = Raw(.billingError) }
        #expect(events(.status(.expired, at: day(31)), why) == [[1], [1, 2, 3]])
        // An extension moved the date.
        let extended = Fact.transaction("1", day(0), day(35), at: day(20))
        #expect(events(extended, .expired(at: day(35))) == [[1], [2, 3]])
        // Only the date.
        #expect(events(.autoRenew(true, at: day(9))) == [[1], [1]])
    }

    @Test("Grace and retry: the end of the period, the failure, the grace date, the end of each")
    func failed() {
        let failed = Fact.didFailToRenew(at: day(30), grace: day(36))
        #expect(events(failed) == [[1], [1, 2], [2], [1, 2]])
        let over = Fact.notification(.gracePeriodExpired, at: day(36))
        #expect(events(failed, over) == [[1], [1, 2], [2, 3], [1, 3]])
        #expect(
            events(failed, over, .expired(.billingRetry, at: day(50)))
                == [[1], [1, 2], [2, 3], [4]])
        #expect(events(.didFailToRenew(at: day(30))) == [[1], [1, 2], [1, 2]])
        let recovered = Fact.didRenew("2", day(40), day(70), .billingRecovery)
        #expect(events(recovered) == [[1], [1, 2], [2], [2]])
    }

    @Test("A period delayed by grace: its first statement, and the cause of the delay")
    func keptAnchor() {
        let failed = Fact.didFailToRenew(at: day(30), grace: day(46))
        let renewed = Fact.didRenew("2", day(30), day(60), at: day(35))
        #expect(events(failed, renewed) == [[1], [1, 2], [2, 3], [3]])
    }

    @Test("A family revoke that a transaction dated first is named by REVOKE, too")
    func familyRevoke() {
        let seen = Fact.transaction("1", day(0), day(30), at: day(10)).transaction {
            $0.revocationDate = day(9)
        }
        let said = Fact.notification(.revoke, "1", day(0), day(30), at: day(11)).revoked(
            day(9), .familyRevoke)
        #expect(events(seen, said) == [[1], [2, 3]])
    }

    @Test("A refund reversed after the end: the reversal, and the end of the period")
    func reversed() {
        let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9))
        let reversed = Fact.notification(.refundReversed, "1", day(0), day(30), at: day(45))
        #expect(events(refund, .expired(at: day(31)), reversed) == [[1], [2], [3, 4]])
    }

    @Test("Facts that reverse or replace something name it")
    func facts() {
        func plan(_ next: String, at signedDate: Timestamp) -> Fact {
            .renewalInfo(at: signedDate) {
                $0.productId = ProductId("a")
                $0.autoRenewProductId = ProductId(next)
            }
        }
        let life = given(bought, plan("b", at: day(3)), plan("a", at: day(6)))
        #expect(life.timelineEvents(.productChangeCancelled).map(\.events) == [[2, 3]])
        #expect(life.timelineEvents(.productChangeScheduled).map(\.events) == [[2]])
        let upgraded = given(
            bought,
            .didRenew("2", day(10), day(40)).transaction { $0.productId = ProductId("other") })
        #expect(upgraded.timelineEvents(.upgraded).map(\.events) == [[1, 2]])
    }
}
