import AppStore
import Ledger
import Testing

/// The changes emitted for the events of one chain.
@Suite("A chain's changes")
struct ChangeStreamTests {
    static let chain = ChainId(
        bundleId: BundleId("com.example.app"), originalTransactionId: OriginalTransactionId("1"))

    /// Not a real hash: only distinguishes states.
    static let rules = ChangeStream.Rules(environment: .production, catalogue: Catalogue()) {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in $0 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Digest(words: (state, 0, 0, 0))
    }

    func reported(
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

    private func expect(
        _ names: [String], _ changes: [Change], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.names(changes) == names, sourceLocation: sourceLocation)
    }

    func reading(_ position: Int64, _ at: Timestamp) -> ClockReading {
        ClockReading(position: position, at: at, ordinal: 0)
    }

    let bought = Fact.subscribed("1", day(0), day(30)).renewal { $0.autoRenewStatus = Raw(.on) }
    let turnedOff = Fact.autoRenew(false, at: day(10))

    @Test("no facts give no changes and no next due time, nor does one without content")
    func nothing() {
        let stream = stream([])
        #expect(stream.changes.isEmpty)
        #expect(stream.marks.isEmpty)
        #expect(stream.nextDue == nil)
        #expect(reported([.notification(.test, at: day(0))]).isEmpty)
    }

    @Test("a walk that is cancelled ends before the next event")
    func cancelled() {
        var asked = 0
        let stream = ChangeStream(
            Self.chain, facts: numbered([bought, turnedOff]), readings: [], rules: Self.rules,
            isWanted: { _ in true },
            isCancelled: {
                asked += 1
                return asked > 1
            })
        expect(["started"], stream.changes)
    }

    @Test("a purchase emits started, and its end when due")
    func purchase() {
        let stream = stream([bought, turnedOff])
        expect(["started", "autoRenewDisabled"], stream.changes)
        #expect(stream.nextDue == day(30))
        #expect(stream.changes.map(\.place.position) == [1, 2])
        #expect(stream.changes.map(\.sequence) == [1, 2])
        #expect(stream.changes[0].answer?.state == .subscribed)
    }

    @Test("an earlier erasure of these ids hides no end of a life that claims to be older")
    func erasedBefore() {
        // given
        let erasure = Fact.reported(.erasure, at: nil).with { $0.receivedAt = day(100) }
        let facts = [erasure, bought, turnedOff]
        // when
        let due = ChangeStream.nextDue(numbered(facts), readings: [], rules: Self.rules)
        // then
        #expect(due == day(30))
        #expect(due == stream(facts).nextDue)
    }

    @Test("a reading emits an unstated expiry once, and none a millisecond earlier")
    func expiryByClock() throws {
        let changes = reported([bought, turnedOff], readings: [reading(9, day(30, 400))])
        let last = try #require(changes.last)
        expect(["started", "autoRenewDisabled", "expired"], changes)
        #expect(last.isByClock)
        #expect(last.emittedAt == day(30))
        #expect(last.position == 2)
        #expect(last.place == ChangePlace(position: 9, clock: day(30, 400).milliseconds))
        #expect(last.answer?.state == .expired)
        let again = reported(
            [bought, turnedOff], readings: [reading(9, day(30, 400)), reading(9, day(31))])
        expect(names(changes), again)
        let early = reported([bought, turnedOff], readings: [reading(9, day(30, -1))])
        expect(["started", "autoRenewDisabled"], early)
    }

    @Test("without a reading, due changes precede the next event")
    func expiryBeforeNextEvent() {
        let back = Fact.resubscribed("2", day(40), day(70))
        let changes = reported([bought, turnedOff, back])
        expect(["started", "autoRenewDisabled", "expired", "resubscribed"], changes)
        #expect(changes[2].isByClock)
        #expect(changes[2].place == ChangePlace(position: 3))
        #expect(changes[3].place == ChangePlace(position: 3, index: 1))
    }

    @Test("changes are the same with or without readings")
    func readingsChangeNothing() {
        let back = Fact.resubscribed("2", day(40), day(70))
        let plain = reported([bought, turnedOff, back])
        let read = reported([bought, turnedOff, back], readings: [reading(2, day(33))])
        expect(names(read), plain)
        #expect(plain.map(\.sequence) == read.map(\.sequence))
        #expect(plain.map(\.emittedAt) == read.map(\.emittedAt))
        #expect(plain.map(\.stateHash) == read.map(\.stateHash))
        #expect(plain.map(\.answer) == read.map(\.answer))
        #expect(plain.map(\.place) != read.map(\.place))
    }

    @Test("an expiry that Apple confirms is not emitted again")
    func confirmedExpiry() {
        let changes = reported(
            [bought, turnedOff, .expired(at: day(30, 30_000))],
            readings: [reading(2, day(30, 100))])
        #expect(names(changes).filter { $0 == "expired" }.count == 1)
        #expect(!names(changes).contains("corrected"))
    }

    @Test(
        "an overdue end is emitted after the leeway, or never if renewed by then")
    func leeway() {
        let leeway = Catalogue.defaultLeewayMilliseconds
        #expect(stream([bought]).nextDue == day(30, leeway))
        expect(["started"], reported([bought], readings: [reading(1, day(30, leeway - 1))]))
        expect(
            [
                "started", "expired",
            ], reported([bought], readings: [reading(1, day(30, leeway))]))
        let late = Fact.didRenew("2", day(30), day(60), at: day(30, leeway - minute))
        expect(["started", "continued", "renewed"], reported([bought, late]))
    }

    @Test("a late event withdraws a false change before emitting the correct one")
    func correction() throws {
        let leeway = Catalogue.defaultLeewayMilliseconds
        let late = Fact.didRenew("2", day(30), day(60), at: day(30, 3_000))
            .with { $0.receivedAt = day(31) }
        let changes = reported([bought, late], readings: [reading(1, day(30, leeway))])
        expect(["started", "expired", "corrected", "continued", "renewed"], changes)
        let correction = try #require(changes.first { $0.name == .corrected })
        #expect(correction.withdrawn.map(\.at) == [day(30)])
        #expect(correction.entry == nil)
        #expect(correction.answer?.state == .renewing)
        #expect(!correction.causes.isEmpty)
    }

    @Test("a renewal signed early is updated at once and continued when due")
    func earlyRenewal() {
        let early = Fact.didRenew("2", day(30), day(60), at: day(29))
        let before = stream([bought, early])
        expect(["started", "updated"], before.changes)
        #expect(before.changes[1].answer?.accessUntil == day(60))
        #expect(before.nextDue == day(30))
        let after = reported([bought, early], readings: [reading(2, day(30))])
        expect(["started", "updated", "continued", "renewed"], after)
    }

    @Test("a duplicate fact from another source changes nothing")
    func duplicateKnowledge() {
        var again = bought
        again.position = 2
        again.cause = Cause(kind: .transaction)
        expect(["started"], reported([bought, again]))
    }

    @Test("the first evidence with the minimum trust is updated: it gives access")
    func accessByTrust() throws {
        let reported = bought.trusted(.secret).with { $0.cause = Cause(kind: .notificationV1) }
        let confirmed = reported.trusted(.transport).with {
            $0.cause = Cause(kind: .verifyReceipt)
            $0.signedDate = day(1)
            $0.receivedAt = day(1)
        }
        let changes = self.reported([reported, confirmed])
        expect(["started", "updated"], changes)
        #expect(changes.map { $0.answer?.isEntitled } == [false, true])
        #expect(changes[0].stateHash != changes[1].stateHash)
        // More of it changes nothing.
        let again = confirmed.trusted(.signed).with {
            $0.signedDate = day(2)
            $0.receivedAt = day(2)
        }
        expect(["started", "updated"], self.reported([reported, confirmed, again]))
    }

    @Test("an attribute of an earlier period that is stated late is updated")
    func earlierPeriod() {
        func stated(at time: Timestamp) -> Fact {
            Fact.transaction("1", day(0), day(30), at: time).transaction { $0.currency = "USD" }
        }
        let renewed = Fact.didRenew("2", day(30), day(60))
        let known = [stated(at: day(0)), renewed]
        expect(names(reported(known)), reported(known + [stated(at: day(40))]))
        let attributes: [(inout TransactionSnapshot) -> Void] = [
            { $0.price = 9_990 }, { $0.storefront = "FRA" },
            { $0.inAppOwnershipType = Raw(.familyShared) },
            { $0.offer = Offer(type: Raw(.promotionalOffer), identifier: "half") },
        ]
        for attribute in attributes {
            let changes = reported(known + [stated(at: day(40)).transaction(attribute)])
            expect(names(reported(known)) + ["updated"], changes)
            #expect(changes.last?.answer?.transactionId == TransactionId("2"))
        }
    }

    @Test("a token, terms of renewal, a commitment, and values of a revocation are updated")
    func lastAttributes() {
        // given
        typealias Terms = TransactionSnapshot.Commitment
        typealias NextTerms = RenewalSnapshot.Commitment
        func stated(
            _ time: Timestamp, _ change: (inout TransactionSnapshot) -> Void = { _ in }
        ) -> Fact {
            Fact.transaction("1", day(0), day(30), at: time).transaction {
                $0.currency = "USD"
                $0.commitment = Terms()
                change(&$0)
            }
        }
        let first = stated(day(1))
        let token = "7e3fb204-7a31-4d26-9f4e-000000000001"
        let transactions: [(inout TransactionSnapshot) -> Void] = [
            { $0.appAccountToken = token }, { $0.commitment = Terms(billingPeriodNumber: 2) },
            { $0.commitment = Terms(totalBillingPeriods: 12) },
            { $0.commitment = Terms(commitmentExpiresDate: day(360)) },
            { $0.commitment = Terms(commitmentPrice: 119_880) },
        ]
        let renewals: [(inout RenewalSnapshot) -> Void] = [
            { $0.autoRenewStatus = Raw(.on) },
            { $0.commitment = NextTerms(autoRenewStatus: Raw(.on)) },
            { $0.commitment = NextTerms(autoRenewProductId: ProductId("b")) },
        ]
        let revocations: [(inout TransactionSnapshot) -> Void] = [
            { $0.revocationReason = Raw(.refundedDueToIssue) },
            { $0.revocationType = Raw(.refundProrated) }, { $0.revocationPercentage = 50_000 },
        ]
        let refunded = stated(day(10)).revoked(day(9))
        // when
        let silent = reported([first, stated(day(5)), .renewalInfo(at: day(6))])
        let known = transactions.map { reported([first, stated(day(5), $0)]) }
        let renewed = renewals.map { reported([first, .renewalInfo(at: day(5), $0)]) }
        let repeated = reported([first, refunded, stated(day(12)).revoked(day(9))])
        let revoked = revocations.map { change in
            reported([first, refunded, stated(day(12)).revoked(day(9)).transaction(change)])
        }
        // then
        expect(["started"], silent)
        for changes in known + renewed { expect(["started", "updated"], changes) }
        for changes in revoked { expect(names(repeated) + ["updated"], changes) }
    }

    @Test("a next product, and a price increase that is withdrawn, are updated without an event")
    func lastRenewal() {
        func on(at time: Timestamp, _ change: (inout RenewalSnapshot) -> Void = { _ in }) -> Fact {
            .renewalInfo(at: time) {
                $0.autoRenewStatus = Raw(.on)
                change(&$0)
            }
        }
        let asked = on(at: day(5)) { $0.priceIncreaseStatus = Raw(.customerHasNotResponded) }
        // Without its current product, a renewal info schedules no change of it.
        let next = on(at: day(6)) { $0.autoRenewProductId = ProductId("b") }
        expect(["started"], reported([bought, on(at: day(5)), on(at: day(6))]))
        expect(["started", "updated"], reported([bought, on(at: day(5)), next]))
        expect(["started", "priceIncreasePending"], reported([bought, asked]))
        expect(
            [
                "started", "priceIncreasePending", "updated",
            ], reported([bought, asked, on(at: day(6))]))
    }

    @Test("copies that are restored later emit nothing")
    func restoredCopies() {
        func line(_ id: String, _ fact: Fact) -> Fact {
            fact.transaction { $0.webOrderLineItemId = WebOrderLineItemId(id) }
        }
        let known = [line("v", bought), line("w", .didRenew("2", day(30), day(60)))]
        let copies = [
            line("v", .transaction("8", day(40), day(30), at: day(40))),
            line("w", .transaction("9", day(40), day(60), at: day(41))).transaction {
                $0.transactionReason = Raw(.renewal)
            },
        ]
        let changes = reported(known + copies)
        expect(names(reported(known)), changes)
        #expect(changes.last?.entry?.at == day(30))
    }

    @Test("a refund that a restored copy of a higher rank states again is not emitted again")
    func refundOfACopy() {
        func stated(_ id: String, _ from: Timestamp, at time: Timestamp) -> Fact {
            Fact.transaction(id, from, day(30), at: time)
                .transaction { $0.webOrderLineItemId = WebOrderLineItemId("v") }
        }
        let known = [
            stated("1", day(0), at: day(1)).trusted(.transport),
            stated("1", day(0), at: day(10)).revoked(day(9)).trusted(.transport),
        ]
        let copy = stated("8", day(40), at: day(45)).revoked(day(9))
        let changes = reported(known + [copy])
        #expect(names(changes).contains("refunded"))
        expect(names(reported(known)), changes)
        // Its reversal, which the copy alone states, is of the purchase, too.
        let reversed = reported(known + [copy, stated("8", day(40), at: day(50))])
        let ids = reversed.compactMap { change -> TransactionId? in
            guard case .fact(let event) = change.entry?.kind else { return nil }
            return event.transactionId
        }
        #expect(names(reversed).filter { $0 == "refunded" }.count == 1)
        #expect(names(reversed).contains("refundReversed"))
        #expect(Set(ids) == [TransactionId("1")])
    }

    @Test("changes are emitted in order of arrival, not of signing")
    func lateArrival() {
        let off = turnedOff.with { $0.receivedAt = day(35) }
        let changes = reported([bought, off])
        #expect(names(changes).first == "started")
        #expect(changes.map(\.emittedAt) == changes.map(\.emittedAt).sorted())
        #expect(names(changes).contains("autoRenewDisabled"))
    }

    @Test("sequence numbers have no gaps, and a page continues them")
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

    @Test("the mark before a change is the last one that passes the filter")
    func previousUnderFilter() {
        let stream = stream([bought, turnedOff, .resubscribed("2", day(40), day(70))])
        #expect(stream.mark(before: 1) { _ in true } == nil)
        #expect(stream.mark(before: 4) { _ in true }?.sequence == 3)
        #expect(stream.mark(before: 4) { $0 == .transition(.started) }?.sequence == 1)
        #expect(stream.mark(before: 4) { _ in false } == nil)
        #expect(stream.mark(before: 99) { _ in true }?.sequence == Int64(stream.marks.count))
    }

    @Test("the state hash depends on the meaning, not on the evidence")
    func stateHash() {
        var proof = bought
        proof.cause = Cause(kind: .transaction)
        proof.trust = .transport
        #expect(reported([bought])[0].stateHash == reported([proof])[0].stateHash)
        let elsewhere = bought.transaction { $0.storefront = "FRA" }
        #expect(reported([bought])[0].stateHash != reported([elsewhere])[0].stateHash)
    }

    @Test("the order of the facts does not matter")
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
