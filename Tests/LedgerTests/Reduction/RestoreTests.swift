import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 2, second half.
@Suite("Rule 2: restores that share a webOrderLineItemId are one period")
struct RestoreTests {
    private func line(_ id: String?, _ fact: Fact) -> Fact {
        fact.transaction { $0.webOrderLineItemId = id.map { WebOrderLineItemId($0) } }
    }

    @Test("Overlapping transactions are one period: smallest start, largest end, best snapshot")
    func restored() {
        let life = given(
            line("w", .subscribed("1", day(0), day(30))),
            line("w", .transaction("2", day(5), day(31), at: day(5)))
        )
        #expect(life.history == [Start(.subscribed, day(0)), Start(.expired, day(31))])
        #expect(life.intervals[0].transactionId == TransactionId("2"))
        #expect(life.transactionIds.map(\.rawValue) == ["1", "2"])
    }

    @Test("Overlap through a third joins all three")
    func transitive() {
        let life = given(
            line("w", .subscribed("1", day(0), day(10))),
            line("w", .transaction("2", day(20), day(30), at: day(20))),
            line("w", .transaction("3", day(5), day(25), at: day(21))))
        #expect(life.history == [Start(.subscribed, day(0)), Start(.expired, day(30))])
    }

    @Test("Two that only touch are two periods; one millisecond of overlap joins them")
    func bound() {
        func life(_ from: Timestamp) -> Lifecycle {
            given(
                line("w", .subscribed("1", day(0), day(30))),
                line("w", .didRenew("2", from, day(60))))
        }
        #expect(life(day(30)).history.map(\.at) == [day(0), day(30), day(60)])
        #expect(life(day(30, -1)).history.map(\.at) == [day(0), day(60)])
    }

    @Test(
        "Absent, \"0\" and different line items join nothing", arguments: [nil, "0"] as [String?])
    func apart(_ id: String?) {
        let life = given(
            line(id, .subscribed("1", day(0), day(30))), line(id, .didRenew("2", day(20), day(50))))
        #expect(life.history.map(\.at) == [day(0), day(20), day(50)])
        let different = given(
            line("a", .subscribed("1", day(0), day(30))),
            line("b", .didRenew("2", day(20), day(50))))
        #expect(different.history.map(\.at) == [day(0), day(20), day(50)])
    }

    @Test("The best snapshots decide overlap, the largest end ever stated the end")
    func bestDecidesOverlap() {
        // The first transaction once stated an end on day 40; its newest snapshot states day 30.
        let life = given(
            line("w", .subscribed("1", day(0), day(40))),
            line("w", .transaction("1", day(0), day(30), at: day(1))),
            line("w", .didRenew("2", day(30), day(60))))
        #expect(life.history.map(\.at) == [day(0), day(30), day(60)])
        #expect(life.history[1].state == .renewing)
    }

    @Test("Revocation spans of every copy count for the period")
    func spans() {
        let life = given(
            line("w", .subscribed("1", day(0), day(30))),
            line("w", .transaction("2", day(5), day(30), at: day(5)).revoked(day(4))),
            line("w", .transaction("1", day(0), day(30), at: day(6)).revoked(day(3))),
            line("w", .transaction("1", day(0), day(30), at: day(10))))
        #expect(life.history == [Start(.subscribed, day(0)), Start(.revoked, day(3))])
    }

    @Test("Attributes come from the more trusted copy, not from a newer one")
    func trustedCopy() {
        let life = given(
            line("w", .subscribed("1", day(0), day(30))),
            line("w", .transaction("2", day(1), day(30), at: day(9)).trusted(.transport)))
        #expect(life.intervals[0].transactionId == TransactionId("1"))
        #expect(life.intervals[0].from == day(0))
    }
}
