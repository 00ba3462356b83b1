import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §1: `at`, `knownAt` and `knownPosition`.
@Suite("§1: valid time and knowledge time")
struct KnowledgeTests {
    /// A purchase, a renewal that arrived two days late, a refund.
    private let facts = numbered([
        .subscribed("1", day(0), day(30)),
        .didRenew("2", day(30), day(60)).with { $0.receivedAt = day(32) },
        .notification(.refund, "2", day(30), day(60), at: day(40)).revoked(day(39)),
    ])

    private func known(at moment: Timestamp) -> Lifecycle {
        given(facts.filter { $0.receivedAt <= moment })
    }

    @Test("Without facts there is no subscription; before the first period no answer")
    func before() {
        #expect(known(at: day(0, -1)).isEmpty)
        #expect(known(at: day(0)).answer(day(0, -1)) == nil)
        #expect(known(at: day(0)).state(day(0)) == .subscribed)
    }

    @Test("On day 31 the renewal was unknown, so the state known then is expired")
    func accepted() {
        #expect(known(at: day(31)).state(day(31)) == .expired)
        #expect(known(at: day(32)).state(day(31)) == .renewing)
    }

    @Test("The bound is inclusive")
    func bound() {
        #expect(known(at: day(32, -1)).state(day(31)) == .expired)
        #expect(known(at: day(40, -1)).state(day(45)) == .renewing)
        #expect(known(at: day(40)).state(day(45)) == .revoked)
        #expect(known(at: day(40)).state(day(39, -1)) == .renewing)
    }

    @Test("Positions are the exact form", arguments: [(1, 2), (2, 3), (3, 3)])
    func byPosition(_ position: Int64, _ states: Int) {
        let life = given(facts.filter { $0.position <= position })
        #expect(life.history.count == states)
        #expect(life.transitions.allSatisfy { $0.cause <= position })
    }

    @Test("An answer about the past depends on knowledge, not on the time of the query")
    func now() {
        let life = given(facts)
        let early = life.answer(at: day(10), now: day(10))
        #expect(early == life.answer(at: day(10), now: day(4000)))
    }
}
