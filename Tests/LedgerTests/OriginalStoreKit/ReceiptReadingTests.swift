import AppStore
import Ledger
import Testing

/// Fields that receipts lack, and which statements supply them (`Lifecycle.md` §7).
@Suite("Fields missing from receipts")
struct ReceiptReadingTests {
    private let customer = CustomerId("3f0c0d5e-0000-4000-8000-000000000001")

    private func receipt(
        _ id: String, of product: String = "basic", _ from: Timestamp, _ to: Timestamp,
        at signedDate: Timestamp
    ) -> Fact {
        var fact = Fact.reported(.receipt, at: signedDate)
        fact.transaction = .period(id, from, to)
        fact.transaction?.productId = ProductId(product)
        fact.transaction?.type = nil
        return fact
    }

    private func stretches(_ life: Lifecycle) -> [HoldingInterval] {
        let chain = ChainId(
            bundleId: BundleId("com.example.app"),
            originalTransactionId: OriginalTransactionId("1"))
        return life.holding(of: customer, chain: chain).stretches
    }

    // MARK: Cancelled: refunded or replaced

    @Test(
        "A cancellation within a minute of another product's purchase is a replacement",
        arguments: [
            // Refunded after the other purchase, it had been replaced by then; before, it was over.
            (0, false, true), (60, false, true), (-60, false, true), (61, true, true),
            (-61, true, false),
        ] as [(Int64, Bool, Bool)])
    func replaced(seconds: Int64, isRefund: Bool, isUpgrade: Bool) {
        let upgrade = day(10)
        let life = given(
            receipt("1", day(0), day(30), at: day(12)).revoked(
                upgrade.advanced(byMilliseconds: seconds * 1_000)),
            receipt("2", of: "pro", upgrade, day(40), at: day(12)))
        #expect(life.timelineEvents(.refunded).count == (isRefund ? 1 : 0))
        #expect(life.timelineEvents(.upgraded).count == (isUpgrade ? 1 : 0))
        #expect(life.state(day(11)) == (isUpgrade ? .renewing : .subscribed))
    }

    @Test("The same product again, or nothing, is a refund")
    func refunded() {
        let again = given(
            receipt("1", day(0), day(30), at: day(12)).revoked(day(10)),
            receipt("2", day(10), day(40), at: day(12)))
        #expect(again.timelineEvents(.refunded).count == 1)
        let alone = given(receipt("1", day(0), day(30), at: day(12)).revoked(day(10)))
        #expect(alone.state(day(12)) == .revoked)
    }

    @Test("A source with the field decides: signed as refunded, it is refunded")
    func signedRefund() {
        let life = given(
            .notification(.refund, "1", day(0), day(30), at: day(11)).revoked(day(10)),
            receipt("1", day(0), day(30), at: day(12)).revoked(day(10)),
            receipt("2", of: "pro", day(10), day(40), at: day(12)))
        #expect(life.timelineEvents(.refunded).count == 1)
    }

    // MARK: Restored copies

    /// Of one purchase.
    private func copy(_ fact: Fact, isOneTime: Bool = false) -> Fact {
        fact.transaction {
            $0.webOrderLineItemId = WebOrderLineItemId("w")
            guard isOneTime else { return }
            $0.type = Raw(.nonConsumable)
            $0.expiresDate = nil
        }
    }

    /// The purchase as Apple signed it.
    private func signed(_ fact: Fact, isOneTime: Bool = false) -> Fact {
        copy(fact, isOneTime: isOneTime).priced(9_990).token(customer.rawValue).transaction {
            $0.storefront = "USA"
        }
    }

    private var bought: Fact { signed(.subscribed("1", day(0, 254), day(30, 254))) }

    private var refund: Fact {
        signed(.notification(.refund, "1", day(0, 254), day(30, 254), at: day(10)))
            .revoked(day(9, 456))
    }

    @Test(
        "A restored copy in a receipt takes nothing from the purchase that Apple signed",
        arguments: [false, true], [1, 9] as [UInt64])
    func restoredCopy(isOneTime: Bool, digest: UInt64) {
        let bought = signed(.subscribed("1", day(0, 254), day(30)), isOneTime: isOneTime)
        let listed = ["1", "2"].map { id in
            copy(
                receipt(id, id == "1" ? day(0) : day(5), day(30), at: day(9)), isOneTime: isOneTime
            ).digest(id == "1" ? 5 : digest)
        }
        for facts in [[bought] + listed, [bought, listed[1]]] {
            let life = given(facts)
            let answer = life.answer(day(10))
            #expect(answer?.transactionId == TransactionId("1"))
            #expect(answer?.appAccountToken == customer.rawValue && answer?.storefront == "USA")
            #expect(answer?.price == Money(milliunits: 9_990, currency: "USD"))
            #expect(reported(life, .revenue) == ["transactions": 1, "gross": 9_990])
            #expect(life.intervals.first?.from == day(0, 254))
            #expect(stretches(life).map(\.to) == stretches(given(bought)).map(\.to))
        }
    }

    @Test("Of copies that only receipts state, one with a token is used", arguments: [1, 9])
    func copyWithToken(digest: UInt64) {
        let named = copy(receipt("1", day(0), day(30), at: day(9))).token(customer.rawValue)
        let restored = copy(receipt("2", day(5), day(30), at: day(9)))
        for later in [restored, restored.with { $0.signedDate = day(12) }] {
            let life = given(named.digest(5), later.digest(digest))
            #expect(life.answer(day(20))?.appAccountToken == customer.rawValue)
        }
    }

    @Test(
        "A refund that a receipt states of each copy is one, and its reversal ends it",
        arguments: [1, 9] as [UInt64])
    func refundOfCopies(digest: UInt64) {
        let listed = ["1", "2"].map { id in
            copy(receipt(id, day(0), day(30), at: day(12))).revoked(day(9))
                .digest(id == "1" ? 5 : digest)
        }
        let reversal = signed(
            .notification(.refundReversed, "1", day(0, 254), day(30, 254), at: day(20)))
        let other = signed(.transaction("2", day(0, 254), day(30, 254), at: day(1)))
        for known in [[], [other]] as [[Fact]] {
            let facts = [bought, refund] + known + listed
            let refunded = given(facts)
            #expect(refunded.timelineEvents(.refunded).map(\.at) == [day(9, 456)])
            #expect(reported(refunded, .refunds) == ["refunds": 1, "refunded": 9_990])
            expectHistory(
                refunded,
                [
                    Start(.subscribed, day(0, 254)), Start(.revoked, day(9, 456)),
                ])
            let reversed = given(facts + [reversal])
            #expect(reversed.state(day(21)) == .subscribed)
            #expect(
                reported(reversed, .refunds) == [
                    "refunds": 1, "refunded": 9_990, "reversals": 1, "reversed": 9_990,
                ])
        }
        // The notification of the refund is lost.
        let reversed = given([bought] + listed + [reversal])
        #expect(reversed.timelineEvents(.refunded).map(\.at) == [day(9)])
        #expect(reversed.history.last?.state == .expired)
        // Nor is a purchase that is restored later bought again.
        let forever = ([bought, refund] + listed + [reversal]).map { copy($0, isOneTime: true) }
        let restored = copy(receipt("3", day(25), day(30), at: day(26)), isOneTime: true)
        let life = given(forever + [restored])
        #expect(life.history.map(\.state) == [.owned, .revoked, .owned])
        #expect(reported(life, .revenue)["transactions"] == 1)
    }

    // MARK: Offers

    private func offer(
        _ type: OfferType, _ identifier: String? = nil, _ discount: OfferDiscountType? = nil,
        period: String? = nil
    ) -> Offer {
        Offer(
            type: Raw(type), identifier: identifier, discountType: discount.map { Raw($0) },
            period: period)
    }

    @Test(
        "The offer of a signed transaction is used whole, whatever a newer receipt states",
        arguments: [false, true])
    func signedOffer(isTrialPeriod: Bool) {
        let stated = receipt("1", day(0), day(30), at: day(2)).transaction {
            $0.isTrialPeriod = isTrialPeriod
            $0.offer = isTrialPeriod ? offer(.introductoryOffer, nil, .freeTrial) : nil
        }
        for known in [
            offer(.offerCode, "SUMMER", .freeTrial, period: "P1M"),
            offer(.introductoryOffer, nil, .freeTrial, period: "P1W"),
        ] {
            let bought = Fact.subscribed("1", day(0), day(30)).priced(0).transaction {
                $0.offer = known
            }
            let life = given(bought, stated)
            #expect(life.answer(day(3))?.offer == known)
            #expect(life.answer(day(3))?.phase == .trial)
            #expect(reported(life, .starts) == ["starts": 1, "trialStarts": 1])
        }
        // One that states neither price nor discount type does not state whether it was free.
        let unstated = Fact.subscribed("1", day(0), day(30)).transaction {
            $0.offer = offer(.introductoryOffer)
        }
        #expect(
            given(unstated, stated).answer(day(3))?.phase == (isTrialPeriod ? .trial : .intro))
    }

    @Test("Another statement completes an offer that a receipt states, and does not replace it")
    func statedOffer() {
        func reading(_ own: Offer?, _ other: Offer, _ trust: Trust) -> Offer? {
            let newest = receipt("1", day(0), day(30), at: day(9)).transaction { $0.offer = own }
            let older = receipt("1", day(0), day(30), at: day(2)).trusted(trust).with {
                $0.cause.kind = .verifyReceipt
                $0.transaction?.offer = other
            }
            return given(newest, older).answer(day(10))?.offer
        }
        let promotional = offer(.promotionalOffer, "P", .freeTrial)
        let free = offer(.introductoryOffer, nil, .freeTrial)
        let introductory = offer(.introductoryOffer)
        for trust in [Trust.signed, .transport] {
            #expect(reading(introductory, promotional, trust) == introductory)
            #expect(reading(free, introductory, trust) == free)
            #expect(reading(nil, promotional, trust) == promotional)
        }
        #expect(reading(introductory, free, .signed) == free)
        #expect(reading(introductory, free, .transport) == introductory)
    }

    // MARK: Tokens of a lower rank

    @Test("A token at rank secret names the customer at that rank")
    func borrowedToken() {
        var versionOne = Fact.reported(.notificationV1, type: .didRenew, at: day(1)).trusted(
            .secret)
        versionOne.transaction = .period("1", day(0), day(30))
        versionOne.transaction?.appAccountToken = customer.rawValue
        let life = given(receipt("1", day(0), day(30), at: day(2)), versionOne)
        let answer = life.answer(day(5))
        #expect(answer?.appAccountToken == customer.rawValue)
        #expect(answer?.trust == .signed)
        #expect(answer?.appAccountTokenTrust == .secret)
        #expect(stretches(life).map(\.trust) == [.secret, .secret])
    }

    @Test("A token of an earlier period keeps its rank")
    func earlierToken() {
        var versionOne = Fact.reported(.notificationV1, type: .subscribed, at: day(0))
            .trusted(.secret)
        versionOne.transaction = .period("1", day(0), day(30))
        versionOne.transaction?.appAccountToken = customer.rawValue
        let life = given(versionOne, .didRenew("2", day(30), day(60)))
        #expect(life.answer(day(40))?.trust == .signed)
        #expect(life.answer(day(40))?.appAccountTokenTrust == .secret)
        #expect(Set(stretches(life).map(\.trust)) == [.secret])
    }

    @Test("A signed token, or an operator's link, does not lower the rank")
    func signedToken() {
        let life = given(
            .subscribed("1", day(0), day(30)).transaction {
                $0.appAccountToken = customer.rawValue
            },
            receipt("1", day(0), day(30), at: day(2)))
        #expect(life.answer(day(5))?.appAccountTokenTrust == .signed)
        #expect(Set(stretches(life).map(\.trust)) == [.signed])
        #expect(
            given(.subscribed("1", day(0), day(30))).answer(day(5))?.appAccountTokenTrust == nil)
    }
}
