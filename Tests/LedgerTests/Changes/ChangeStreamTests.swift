import AppStore
import Ledger
import Testing

/// What a feed tells, given the events of one chain.
@Suite("A chain's changes")
struct ChangeStreamTests {
    static let chain = ChainId(
        bundleId: BundleId("com.example.app"), originalTransactionId: OriginalTransactionId("1"))

    /// Not a real hash: enough to tell states apart.
    static let rules = ChangeStream.Rules(environment: .production, catalogue: Catalogue()) {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in $0 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Digest(words: (state, 0, 0, 0))
    }

    func told(
        _ facts: [Fact], readings: [ClockReading] = [], after: ChangePlace = .beginning
    ) -> [Change] {
        stream(facts, readings: readings, after: after).changes
    }

    func stream(
        _ facts: [Fact], readings: [ClockReading] = [], after: ChangePlace = .beginning
    ) -> ChangeStream {
        ChangeStream(
            Self.chain, facts: numbered(facts), readings: readings, rules: Self.rules
        ) { after < $0 }
    }

    func names(_ changes: [Change]) -> [String] { changes.map(\.name.rawValue) }

    func reading(_ position: Int64, _ at: Timestamp) -> ClockReading {
        ClockReading(position: position, at: at, ordinal: 0)
    }

    let bought = Fact.subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) }
    let turnedOff = Fact.autoRenew(false, at: day(10))

    @Test("no facts, no changes, and nothing to wait for")
    func nothing() {
        let stream = stream([])
        #expect(stream.changes.isEmpty)
        #expect(stream.marks.isEmpty)
        #expect(stream.nextDue == nil)
    }

    @Test("a fact that says nothing of a life changes nothing")
    func emptyFact() {
        #expect(told([.notification(.test, at: day(0))]).isEmpty)
    }

    @Test("a purchase starts, and its end waits for its time")
    func purchase() {
        let stream = stream([bought, turnedOff])
        #expect(names(stream.changes) == ["started", "autoRenewDisabled"])
        #expect(stream.nextDue == day(30))
        #expect(stream.changes.map(\.place.position) == [1, 2])
        #expect(stream.changes.map(\.sequence) == [1, 2])
        #expect(stream.changes[0].answer?.state == .subscribed)
    }

    @Test("the clock tells an expiry that no event stated, once, at the reading")
    func expiryByClock() throws {
        let changes = told([bought, turnedOff], readings: [reading(9, day(30, 400))])
        let last = try #require(changes.last)
        #expect(names(changes) == ["started", "autoRenewDisabled", "expired"])
        #expect(last.isByClock)
        #expect(last.toldAt == day(30))
        #expect(last.position == 2)
        #expect(last.place == ChangePlace(position: 9, clock: day(30, 400).milliseconds))
        #expect(last.answer?.state == .expired)
        let again = told(
            [bought, turnedOff], readings: [reading(9, day(30, 400)), reading(9, day(31))])
        #expect(names(again) == names(changes))
    }

    @Test("a reading one millisecond early tells nothing")
    func readingTooEarly() {
        let changes = told([bought, turnedOff], readings: [reading(9, day(30, -1))])
        #expect(names(changes) == ["started", "autoRenewDisabled"])
    }

    @Test("without a reading, the next event is preceded by what had come due")
    func expiryBeforeNextEvent() {
        let back = Fact.resubscribed("2", day(40), day(70))
        let changes = told([bought, turnedOff, back])
        #expect(names(changes) == ["started", "autoRenewDisabled", "expired", "resubscribed"])
        #expect(changes[2].isByClock)
        #expect(changes[2].place == ChangePlace(position: 3))
        #expect(changes[3].place == ChangePlace(position: 3, index: 1))
    }

    @Test("with or without readings a change says the same")
    func readingsChangeNothing() {
        let back = Fact.resubscribed("2", day(40), day(70))
        let plain = told([bought, turnedOff, back])
        let read = told([bought, turnedOff, back], readings: [reading(2, day(33))])
        #expect(names(plain) == names(read))
        #expect(plain.map(\.sequence) == read.map(\.sequence))
        #expect(plain.map(\.toldAt) == read.map(\.toldAt))
        #expect(plain.map(\.stateHash) == read.map(\.stateHash))
        #expect(plain.map(\.answer) == read.map(\.answer))
        #expect(plain.map(\.place) != read.map(\.place))
    }

    @Test("an expiry that Apple confirms is not told again")
    func confirmedExpiry() {
        let changes = told(
            [bought, turnedOff, .expired(at: day(30, 30_000))],
            readings: [reading(2, day(30, 100))])
        #expect(names(changes).filter { $0 == "expired" }.count == 1)
        #expect(!names(changes).contains("corrected"))
    }

    @Test(
        "an end that is only overdue is told after the leeway, and not at all when renewed by then")
    func leeway() {
        let leeway = Catalogue.defaultLeewayMilliseconds
        #expect(stream([bought]).nextDue == day(30, leeway))
        #expect(names(told([bought], readings: [reading(1, day(30, leeway - 1))])) == ["started"])
        #expect(
            names(told([bought], readings: [reading(1, day(30, leeway))])) == [
                "started", "expired",
            ])
        let late = Fact.didRenew("2", day(30), day(60), at: day(30, leeway - minute))
        #expect(names(told([bought, late])) == ["started", "continued", "renewed"])
    }

    @Test("what a late event disproves is withdrawn before the truth is told")
    func correction() throws {
        let leeway = Catalogue.defaultLeewayMilliseconds
        let late = Fact.didRenew("2", day(30), day(60), at: day(30, 3_000))
            .with { $0.receivedAt = day(31) }
        let changes = told([bought, late], readings: [reading(1, day(30, leeway))])
        #expect(names(changes) == ["started", "expired", "corrected", "continued", "renewed"])
        let correction = try #require(changes.first { $0.name == .corrected })
        #expect(correction.withdrawn.map(\.at) == [day(30)])
        #expect(correction.entry == nil)
        #expect(correction.answer?.state == .renewing)
        #expect(!correction.causes.isEmpty)
    }

    @Test("a renewal announced early is an update at once and a renewal when it is due")
    func earlyRenewal() {
        let early = Fact.didRenew("2", day(30), day(60), at: day(29))
        let before = stream([bought, early])
        #expect(names(before.changes) == ["started", "updated"])
        #expect(before.changes[1].answer?.accessUntil == day(60))
        #expect(before.nextDue == day(30))
        let after = told([bought, early], readings: [reading(2, day(30))])
        #expect(names(after) == ["started", "updated", "continued", "renewed"])
    }

    @Test("the same fact by another way changes nothing")
    func duplicateKnowledge() {
        var again = bought
        again.position = 2
        again.cause = Cause(kind: .transaction)
        #expect(names(told([bought, again])) == ["started"])
    }

    @Test("arrival, not signing, decides the order in which changes are told")
    func lateArrival() {
        let off = turnedOff.with { $0.receivedAt = day(35) }
        let changes = told([bought, off])
        #expect(names(changes).first == "started")
        #expect(changes.map(\.toldAt) == changes.map(\.toldAt).sorted())
        #expect(names(changes).contains("autoRenewDisabled"))
    }

    @Test("sequence numbers have no gaps, and a page knows the numbers before it")
    func sequence() {
        let facts = [
            bought, turnedOff, .resubscribed("2", day(40), day(70)),
            .didRenew("3", day(70), day(100)),
        ]
        let whole = stream(facts)
        #expect(whole.changes.map(\.sequence) == (1...Int64(whole.changes.count)).map { $0 })
        let part = stream(facts, after: .end(of: 2))
        #expect(part.changes.map(\.sequence) == whole.changes.dropFirst(2).map(\.sequence))
        #expect(part.marks == whole.marks)
    }

    @Test("the mark before a change is the last one the filter lets through")
    func previousUnderFilter() {
        let stream = stream([bought, turnedOff, .resubscribed("2", day(40), day(70))])
        #expect(stream.mark(before: 1) { _ in true } == nil)
        #expect(stream.mark(before: 4) { _ in true }?.sequence == 3)
        #expect(stream.mark(before: 4) { $0 == .transition(.started) }?.sequence == 1)
        #expect(stream.mark(before: 4) { _ in false } == nil)
        #expect(stream.mark(before: 99) { _ in true }?.sequence == Int64(stream.marks.count))
    }

    @Test("the state hash changes with the meaning and not with the proof")
    func stateHash() {
        var proof = bought
        proof.cause = Cause(kind: .transaction)
        proof.trust = .transport
        #expect(told([bought])[0].stateHash == told([proof])[0].stateHash)
        let elsewhere = bought.transaction { $0.storefront = "FRA" }
        #expect(told([bought])[0].stateHash != told([elsewhere])[0].stateHash)
    }

    @Test("facts in any order of the array give the same changes")
    func anyOrder() {
        let facts = numbered([bought, turnedOff, .resubscribed("2", day(40), day(70))])
        let forth = ChangeStream(Self.chain, facts: facts, readings: [], rules: Self.rules) {
            _ in true
        }
        let back = ChangeStream(
            Self.chain, facts: facts.reversed(), readings: [], rules: Self.rules
        ) { _ in true }
        #expect(forth.marks == back.marks)
        #expect(forth.changes.map(\.place) == back.changes.map(\.place))
    }
}
