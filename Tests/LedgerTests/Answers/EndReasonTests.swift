import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2, "reason an access ended" and `cancellation`.
@Suite("Why access ended, and since when auto-renew is off")
struct EndReasonTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    /// The reason of the last transition into a state.
    private func reason(_ state: ChainState, _ facts: Fact...) -> EndReason? {
        given([bought] + facts).transitions.last { $0.to == state }?.reason
    }

    private func intent(_ raw: Int64, at signedDate: Timestamp) -> Fact {
        .renewalInfo(at: signedDate) { $0.expirationIntent = Raw(rawValue: raw) }
    }

    @Test(
        "Into expired: EXPIRED's subtype",
        arguments: [
            (.voluntary, .voluntary), (.billingRetry, .billing), (.priceIncrease, .priceIncrease),
            (.productNotForSale, .productUnavailable),
        ] as [(Subtype, EndReason)])
    func subtype(_ subtype: Subtype, _ expected: EndReason) {
        #expect(reason(.expired, .expired(subtype, at: day(30))) == expected)
        // The subtype takes precedence over the intent.
        let both = Fact.expired(subtype, at: day(30)).renewal { $0.expirationIntent = Raw(.other) }
        #expect(reason(.expired, both) == expected)
    }

    @Test(
        "Else the expirationIntent",
        arguments: [
            (1, .voluntary), (2, .billing), (3, .priceIncrease), (4, .productUnavailable),
            (5, .other), (6, .unconfirmed),
        ] as [(Int64, EndReason)])
    func expirationIntent(_ raw: Int64, _ expected: EndReason) {
        #expect(reason(.expired, intent(raw, at: day(31))) == expected)
        let bare = Fact.expired(nil, at: day(31)).renewal {
            $0.expirationIntent = Raw(rawValue: raw)
        }
        #expect(reason(.expired, bare) == expected)
        let unknown = bare.with { $0.cause.subtype = Raw(rawValue: "SOMETHING") }
        #expect(reason(.expired, unknown) == expected)
    }

    @Test("Of two over facts the first one's intent counts")
    func firstOver() {
        #expect(reason(.expired, intent(1, at: day(31)), intent(2, at: day(32))) == .voluntary)
    }

    @Test("Else auto-renew off: voluntary, or a pending price increase")
    func autoRenewOff() {
        let off = Fact.autoRenew(false, at: day(10))
        #expect(reason(.expired, off) == .voluntary)
        #expect(
            reason(.expired, off.renewal { $0.priceIncreaseStatus = Raw(.customerHasNotResponded) })
                == .priceIncrease)
        #expect(
            reason(
                .expired,
                off.renewal {
                    $0.priceIncreaseStatus = Raw(
                        .customerConsentedOrWasNotifiedWithoutNeedingConsent)
                }) == .voluntary)
    }

    @Test("Else unconfirmed")
    func unconfirmed() {
        #expect(reason(.expired) == .unconfirmed)
        #expect(reason(.expired, .autoRenew(true, at: day(10))) == .unconfirmed)
        #expect(reason(.expired, .status(.expired, at: day(31))) == .unconfirmed)
        #expect(reason(.expired, .expired(nil, at: day(31))) == .unconfirmed)
    }

    @Test(
        "Into revoked: a refund, or a family revoke by its type or its notification",
        arguments: [
            (.refundFull, .refund, .refund), (.refundProrated, .refund, .refund),
            (.familyRevoke, .revoke, .familyRevoke), (.refundFull, .revoke, .familyRevoke),
            (.familyRevoke, .didChangeRenewalStatus, .familyRevoke),
        ] as [(RevocationType, NotificationType, EndReason)])
    func revoked(_ type: RevocationType, _ notification: NotificationType, _ expected: EndReason) {
        let fact = Fact.notification(notification, "1", day(0), day(30), at: day(10))
            .revoked(day(9), type)
        #expect(reason(.revoked, fact) == expected)
    }

    @Test("No cancellation while it will renew, or while that is unknown")
    func noCancellation() {
        #expect(given(bought).answer(day(5))?.cancellation == nil)
        let on = given(bought, .autoRenew(false, at: day(3)), .autoRenew(true, at: day(4)))
        #expect(on.answer(day(5))?.cancellation == nil)
    }

    @Test("After access ended, the cancellation has that reason")
    func endedReason() {
        let life = given(
            bought, .autoRenew(false, at: day(3)),
            .expired(.productNotForSale, at: day(30)).renewal { $0.autoRenewStatus = Raw(.off) })
        #expect(life.answer(day(29))?.cancellation?.reason == .voluntary)
        #expect(life.answer(day(31))?.cancellation?.reason == .productUnavailable)
        #expect(life.answer(day(31))?.cancellation?.at == day(3))
    }
}
