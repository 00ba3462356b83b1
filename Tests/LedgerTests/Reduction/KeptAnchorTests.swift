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

    @Test("A start one millisecond after the end is an ordinary gap")
    func gap() {
        let life = given(
            bought, failed(day(30)), .didRenew("2", day(30, 1), day(60), at: day(33)))
        expectHistory(
            life,
            [
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
}
