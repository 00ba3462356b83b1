import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §3 (b).
@Suite("§3: facts that change no state")
struct TimelineEventTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    @Test("renewed, at the purchaseDate, by the fact that first stated it")
    func renewed() {
        let life = given(
            bought, .didRenew("2", day(30), day(60), at: day(29)),
            .transaction("2", day(30), day(60), at: day(35)).transaction {
                $0.transactionReason = Raw(.renewal)
            })
        #expect(life.timelineEvents.map(\.name) == [.renewed])
        #expect(life.timelineEvents.map(\.at) == [day(30)])
        #expect(life.timelineEvents.map(\.cause) == [2])
        #expect(life.timelineEvents.map(\.transactionId) == [TransactionId("2")])
    }

    @Test("autoRenewDisabled and autoRenewEnabled, once per change")
    func autoRenew() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) }, .autoRenew(false, at: day(5)),
            .autoRenew(false, at: day(6)), .autoRenew(true, at: day(7)),
            .autoRenew(true, at: day(8)))
        #expect(life.timelineEvents.map(\.name) == [.autoRenewDisabled, .autoRenewEnabled])
        #expect(life.timelineEvents.map(\.at) == [day(5), day(7)])
    }

    @Test("A change without a notification is detected in the renewal info")
    func silentChange() {
        let life = given(
            bought.renewal { $0.autoRenewStatus = Raw(.on) },
            .renewalInfo(at: day(6)) { $0.autoRenewStatus = Raw(.off) })
        #expect(life.timelineEvents.map(\.name) == [.autoRenewDisabled])
        let first = given(bought, .renewalInfo(at: day(6)) { $0.autoRenewStatus = Raw(.off) })
        #expect(first.timelineEvents.isEmpty)
    }

    /// A renewal info inside a commitment, with a notification if it has a subtype; nil states
    /// nothing about the commitment.
    private func committed(
        _ willRenew: AutoRenewStatus?, _ subtype: Subtype? = nil,
        autoRenew: AutoRenewStatus = .on, product: String = "a", at signedDate: Timestamp
    ) -> Fact {
        let fact =
            subtype.map { Fact.notification(.didChangeRenewalStatus, $0, at: signedDate) }
            ?? .renewalInfo(at: signedDate)
        return fact.renewal {
            $0.productId = ProductId(product)
            $0.autoRenewProductId = ProductId(product)
            $0.autoRenewStatus = Raw(autoRenew)
            $0.commitment = willRenew.map { .init(autoRenewStatus: Raw($0)) }
        }
    }

    private func changes(_ facts: Fact...) -> [TimelineEvent] {
        given([bought, committed(.on, at: day(1))] + facts).timelineEvents
    }

    @Test("A decision about a commitment is a fact, once, also if it was stated before")
    func commitment() {
        let decided = changes(
            committed(.off, at: day(4)), committed(.off, .autoRenewDisabled, at: day(5)),
            committed(.off, .autoRenewDisabled, at: day(6)), committed(.on, at: day(7)),
            committed(.on, .autoRenewEnabled, at: day(8)))
        #expect(decided.map(\.name) == [.autoRenewDisabled, .autoRenewEnabled])
        #expect(decided.map(\.at) == [day(5), day(8)])
        // Here the renewal info alone shows the change.
        let shown = changes(
            committed(.off, autoRenew: .off, at: day(4)),
            committed(.off, .autoRenewDisabled, autoRenew: .off, at: day(5)))
        #expect(shown.map(\.at) == [day(4)])
        // A purchase turned it on, and no change was seen.
        let unseen = changes(committed(.on, .autoRenewEnabled, at: day(5)))
        #expect(unseen.isEmpty)
    }

    @Test("The end of a commitment is no second fact, also if a renewal info does not state it")
    func commitmentEnds() {
        let decided = committed(.off, .autoRenewDisabled, at: day(5))
        let ended = changes(
            decided, committed(nil, at: day(6)), committed(.off, autoRenew: .off, at: day(20)),
            committed(nil, autoRenew: .off, at: day(25)))
        #expect(ended.map(\.at) == [day(5)])
        let ofAnother = changes(
            decided, committed(nil, product: "b", at: day(10)),
            committed(nil, autoRenew: .off, product: "b", at: day(20)))
        #expect(ofAnother.map(\.name) == [.autoRenewDisabled, .autoRenewDisabled])
        #expect(ofAnother.map(\.at) == [day(5), day(20)])
    }

    @Test("A notification without a renewal info still states its fact")
    func bare() {
        let life = given(
            bought, .notification(.didChangeRenewalStatus, .autoRenewDisabled, at: day(3)),
            .notification(.didChangeRenewalStatus, .autoRenewEnabled, at: day(4)),
            .notification(.priceIncrease, .pending, at: day(5)),
            .notification(.priceIncrease, .accepted, at: day(6)))
        #expect(
            life.timelineEvents.map(\.name) == [
                .autoRenewDisabled, .autoRenewEnabled, .priceIncreasePending,
                .priceIncreaseAccepted,
            ])
    }

    @Test("An end by billing turns auto-renew off without a decision of the customer")
    func involuntary() {
        let on = bought.renewal { $0.autoRenewStatus = Raw(.on) }
        func facts(_ subtype: Subtype, _ intent: ExpirationIntent) -> [TimelineEventName] {
            given(
                on,
                .expired(subtype, at: day(90)).renewal {
                    $0.autoRenewStatus = Raw(.off)
                    $0.expirationIntent = Raw(intent)
                }
            ).timelineEvents.map(\.name)
        }
        #expect(facts(.billingRetry, .billingError).isEmpty)
        #expect(facts(.voluntary, .customerCancelled) == [.autoRenewDisabled])
        // EXPIRED states by its subtype whose decision the end was, whatever the intent.
        #expect(facts(.voluntary, .billingError) == [.autoRenewDisabled])
    }

    private func reversals(_ facts: Fact...) -> [Timestamp] {
        given([bought] + facts).timelineEvents(.refundReversed).map(\.at)
    }

    private func reversed(_ signedDate: Timestamp) -> Fact {
        .notification(.refundReversed, "1", day(0), day(30), at: signedDate)
    }

    private let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(13))
        .revoked(day(12))
    private let unrevoked = Fact.transaction("1", day(0), day(30), at: day(16))

    @Test("A reversal of a lost refund remains beside a later or an earlier one that is known")
    func lostRefundBesideKnown() {
        #expect(reversals(reversed(day(10)), refund, reversed(day(16))) == [day(10), day(16)])
        #expect(reversals(refund, reversed(day(16)), reversed(day(20))) == [day(16), day(20)])
        #expect(reversals(reversed(day(10)), refund, unrevoked) == [day(10), day(16)])
    }

    @Test("A reversal that another fact showed is announced once")
    func announced() {
        #expect(reversals(refund, unrevoked) == [day(16)])
        #expect(reversals(refund, unrevoked, reversed(day(16))) == [day(16)])
        #expect(reversals(refund, unrevoked, reversed(day(18))) == [day(16)])
        #expect(
            reversals(refund, unrevoked, reversed(day(18)), reversed(day(20)))
                == [day(16), day(20)])
    }

    @Test("An extension seen only as a later end is a fact; a contradiction at one date is not")
    func silentExtension() {
        let life = given(bought, .transaction("1", day(0), day(37), at: day(5)))
        #expect(life.timelineEvents.map(\.name) == [.extended])
        #expect(life.timelineEvents.map(\.at) == [day(5)])
        #expect(
            given(bought, .transaction("1", day(0), day(23), at: day(5))).timelineEvents.isEmpty)
        #expect(
            given(bought, .transaction("1", day(0), day(37), at: day(0)))
                .timelineEvents(.extended).isEmpty)
    }

    @Test("An extension that is stated of a restored copy, too, is one fact")
    func extensionOfCopies() {
        func stated(_ id: String, _ end: Timestamp, at signedDate: Timestamp) -> Fact {
            copy(.transaction(id, day(id == "1" ? 0 : 3), end, at: signedDate))
        }
        func copy(_ fact: Fact) -> Fact {
            fact.transaction { $0.webOrderLineItemId = WebOrderLineItemId("w") }
        }
        let known = [copy(bought), stated("2", day(30), at: day(3))]
        let (first, second) = (stated("1", day(37), at: day(5)), stated("2", day(37), at: day(8)))
        let extended = copy(.notification(.renewalExtended, "1", day(0), day(37), at: day(5)))
        for facts in [[first, second], [extended, second]] {
            let life = given(known + facts)
            #expect(life.timelineEvents(.extended).map(\.at) == [day(5)])
        }
        let further = stated("2", day(44), at: day(9))
        let life = given(known + [first, second, further])
        #expect(life.timelineEvents(.extended).map(\.at) == [day(5), day(9)])
    }
}
