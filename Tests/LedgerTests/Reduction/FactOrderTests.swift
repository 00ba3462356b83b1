import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 1.
@Suite("Rule 1: facts are ordered by signedDate and digest, never by arrival")
struct FactOrderTests {
    @Test("No facts: no interval, no entry, no answer")
    func empty() {
        let life = given()
        #expect(life.isEmpty)
        #expect(life.timeline.isEmpty && life.notices.isEmpty && life.transactionIds.isEmpty)
        #expect(life.answer(day(0)) == nil)
    }

    @Test("A fact with neither transaction, renewal nor type changes nothing")
    func nullPayload() {
        let known = Fact.subscribed("1", day(0), day(30))
        let life = given(
            known, .reported(.transaction, at: day(10)), .reported(.renewalPair, at: day(40)))
        expectHistory(life, given(known).history)
        #expect(life.notices == given(known).notices)
    }

    @Test(
        "A fact that cannot be folded changes no period and raises a notice",
        arguments: [Fact.Flaw.incompleteTransaction, .erased, .undecodable])
    func unreadable(_ flaw: Fact.Flaw) {
        let known = Fact.subscribed("1", day(0), day(30))
        let life = given(
            known, .transaction("2", day(30), day(60), at: day(30)).with { $0.flaw = flaw })
        expectHistory(life, given(known).history)
        expectNotices(life, [.unreadable])
        #expect(life.notices.map(\.evidence) == [[2]])
        #expect(life.notices.allSatisfy { $0.message.contains(flaw.rawValue) })
    }

    @Test("A snapshot without a signedDate takes its fact's, one with a date keeps its own")
    func snapshotDates() {
        // The older statement would win if the snapshot's own date were ignored.
        let older = Fact.notification(.refundDeclined, "1", day(0), day(30), at: day(20))
            .transaction {
                $0.signedDate = day(5)
                $0.productId = ProductId("older")
            }
        let newer = Fact.notification(.consumptionRequest, "1", day(0), day(30), at: day(10))
            .transaction { $0.productId = ProductId("newer") }
        #expect(given(older, newer).answer(day(1))?.productId == ProductId("newer"))
    }

    @Test("The same fact twice is one fact, known by its first position")
    func duplicates() {
        let fact = Fact.subscribed("1", day(0), day(30))
        let twice = given(fact, fact, fact)
        expectHistory(twice, given(fact).history)
        #expect(twice.transitions.map(\.cause) == [1, 1])
        #expect(
            given(fact.with { $0.position = 9 }, fact.with { $0.position = 4 })
                .transitions.map(\.cause) == [4, 4])
    }

    @Test(
        "Of two renewal infos of one millisecond the larger digest applies",
        arguments: [0, 1])
    func digestBreaksTies(_ swap: Int) {
        let bought = Fact.subscribed("1", day(0), day(30))
        let on = Fact.autoRenew(true, at: day(3)).digest(swap == 0 ? 1 : 2)
        let off = Fact.autoRenew(false, at: day(3)).digest(swap == 0 ? 2 : 1)
        #expect(given(bought, on, off).answer(day(4))?.willRenew == (swap == 1))
        #expect(given(bought, off, on).answer(day(4))?.willRenew == (swap == 1))
    }
}
