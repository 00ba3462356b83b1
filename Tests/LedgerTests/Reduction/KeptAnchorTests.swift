import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 5, last clause.
@Suite("Rule 5: grace in which the anchor was kept")
struct KeptAnchorTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    private func failed(_ signedDate: Timestamp, grace: Timestamp = day(36)) -> Fact {
        .didFailToRenew(at: signedDate, grace: grace)
    }

    /// A renewal that starts exactly at the end, first stated later.
    private func renewed(_ stated: Timestamp) -> Fact {
        .didRenew("2", day(30), day(60), at: stated, .billingRecovery)
    }

    @Test("Grace holds until the renewal was first stated; the period counts from there")
    func kept() {
        let life = given(bought, failed(day(30)), renewed(day(33)))
        #expect(
            life.history == [
                Start(.subscribed, day(0)), Start(.grace, day(30)), Start(.renewing, day(33)),
                Start(.expired, day(60)),
            ])
        #expect(life.answer(day(31))?.transactionId == TransactionId("1"))
        #expect(life.answer(day(33))?.transactionId == TransactionId("2"))
    }

    @Test("Stated after the grace date: grace ends at its date, and the period counts from there")
    func learntLate() {
        let life = given(bought, failed(day(30)), renewed(day(50)))
        #expect(life.history.map(\.at) == [day(0), day(30), day(36), day(60)])
        #expect(life.history.map(\.state) == [.subscribed, .grace, .renewing, .expired])
    }

    @Test("The first statement counts, not the best")
    func firstStatement() {
        let again = Fact.transaction("2", day(30), day(60), at: day(35))
        let life = given(bought, failed(day(30)), renewed(day(33)), again)
        #expect(life.history[2] == Start(.renewing, day(33)))
    }

    @Test("Without a failure, without a grace date, or stated by the end: no grace")
    func notKept() {
        let plain = [
            Start(.subscribed, day(0)), Start(.renewing, day(30)), Start(.expired, day(60)),
        ]
        #expect(given(bought, renewed(day(33))).history == plain)
        #expect(given(bought, .didFailToRenew(at: day(30)), renewed(day(33))).history == plain)
        #expect(given(bought, failed(day(29, hour)), renewed(day(30))).history == plain)
        #expect(given(bought, failed(day(30), grace: day(30)), renewed(day(33))).history == plain)
    }

    @Test("The failure may be signed from 24 hours before the end until the statement, exclusive")
    func window() {
        func states(_ signedDate: Timestamp) -> [ChainState] {
            given(bought, failed(signedDate), renewed(day(33))).history.map(\.state)
        }
        let kept: [ChainState] = [.subscribed, .grace, .renewing, .expired]
        let plain: [ChainState] = [.subscribed, .renewing, .expired]
        #expect(states(day(29)) == kept)
        #expect(states(day(29, -1)) == plain)
        #expect(states(day(33, -1)) == kept)
        #expect(states(day(33)) == plain)
    }

    @Test("A failure that names only a copy restored in grace is about the end of its period")
    func namesCopy() {
        func line(_ fact: Fact) -> Fact {
            fact.transaction { $0.webOrderLineItemId = WebOrderLineItemId("w") }
        }
        let copied = Fact.notification(
            .didFailToRenew, "8", day(31), day(30), at: day(32), subtype: .gracePeriod
        ).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.gracePeriodExpiresDate = day(36)
        }
        let life = given(line(bought), line(copied), renewed(day(33)))
        #expect(life.history.map(\.state) == [.subscribed, .grace, .renewing, .expired])
        #expect(life.history.map(\.at) == [day(0), day(30), day(33), day(60)])
    }

    @Test("A start one millisecond after the end is an ordinary gap")
    func gap() {
        let life = given(
            bought, failed(day(30)), .didRenew("2", day(30, 1), day(60), at: day(33)))
        #expect(
            life.history == [
                Start(.subscribed, day(0)), Start(.grace, day(30)), Start(.renewing, day(30, 1)),
                Start(.expired, day(60)),
            ])
    }

    @Test("A period stated after its own end still gets only its rest")
    func learntAfterItsEnd() {
        let short = Fact.didRenew("2", day(30), day(32), at: day(50))
        let life = given(bought, failed(day(30)), short)
        #expect(life.history.first == Start(.subscribed, day(0)))
        #expect(life.history[1] == Start(.grace, day(30)))
        #expect(life.history.last == Start(.expired, day(32)))
    }

    @Test("A third period that starts before the second counts takes over at its start")
    func overtaken() {
        let upgrade = Fact.resubscribed("3", day(31), day(61))
        let life = given(bought, failed(day(30)), renewed(day(33)), upgrade)
        #expect(
            life.history == [
                Start(.subscribed, day(0)), Start(.grace, day(30)), Start(.renewing, day(31)),
                Start(.expired, day(61)),
            ])
    }
}
