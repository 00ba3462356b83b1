import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2, `phase`.
@Suite("Phase")
struct PhaseTests {
    private func phase(
        _ type: Int64?, _ discount: String?, price: Int64?
    ) -> ChainAnswer.Phase? {
        given(
            Fact.subscribed("1", day(0), day(30)).transaction {
                $0.price = price
                $0.offer = Offer(
                    type: type.map { Raw(rawValue: $0) },
                    discountType: discount.map { Raw(rawValue: $0) })
            }
        ).answer(day(1))?.phase
    }

    @Test("FREE_TRIAL is a trial, of any offer and at any price", arguments: [1, 2, 3, 4, 9])
    func freeTrial(_ type: Int64) {
        for price in [nil, 0, 9990] as [Int64?] {
            #expect(phase(type, "FREE_TRIAL", price: price) == .trial)
        }
    }

    @Test("Without a discount type price 0 is a trial, of any offer", arguments: [1, 2, 3, 4])
    func free(_ type: Int64) {
        #expect(phase(type, nil, price: 0) == .trial)
    }

    @Test("Without discount type and price only an introductory offer is a trial")
    func noPrice() {
        #expect(phase(1, nil, price: nil) == .trial)
        for type in [2, 3, 4] as [Int64] { #expect(phase(type, nil, price: nil) == .offer) }
    }

    @Test(
        "A stated discount type takes precedence over the price",
        arguments: ["PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME", "NEW_KIND"])
    func paid(_ discount: String) {
        for price in [nil, 0, 990] as [Int64?] {
            #expect(phase(1, discount, price: price) == .intro)
            for type in [2, 3, 4] as [Int64] {
                #expect(phase(type, discount, price: price) == .offer)
            }
        }
    }

    @Test("Paid without a discount type: intro for offer 1, offer for 2 to 4")
    func paidUnstated() {
        #expect(phase(1, nil, price: 990) == .intro)
        for type in [2, 3, 4] as [Int64] { #expect(phase(type, nil, price: 990) == .offer) }
    }

    @Test("A receipt with is_trial_period false makes an introductory offer a paid one")
    func deniedTrial() {
        func phase(_ isTrialPeriod: Bool?, price: Int64? = nil) -> ChainAnswer.Phase? {
            given(
                Fact.subscribed("1", day(0), day(30)).transaction {
                    $0.price = price
                    $0.offer = Offer(type: Raw(.introductoryOffer))
                    $0.isTrialPeriod = isTrialPeriod
                }
            ).answer(day(1))?.phase
        }
        #expect(phase(nil) == .trial)
        #expect(phase(true) == .trial)
        #expect(phase(false) == .intro)
        #expect(phase(false, price: 0) == .intro)
    }

    @Test("A receipt completes a signed transaction without that statement, and no other")
    func deniedForSigned() {
        func phase(price: Int64?, discount: OfferDiscountType?) -> ChainAnswer.Phase? {
            let signed = Fact.subscribed("1", day(0), day(30)).transaction {
                $0.price = price
                $0.offer = Offer(
                    type: Raw(.introductoryOffer), discountType: discount.map { Raw($0) })
            }
            var denial = Fact.transaction("1", day(0), day(30), at: day(2)).trusted(.transport)
                .transaction {
                    $0.offer = Offer(type: Raw(.introductoryOffer))
                    $0.isTrialPeriod = false
                }
            denial.cause = Cause(kind: .verifyReceipt)
            return given(signed, denial).answer(day(3))?.phase
        }
        #expect(phase(price: nil, discount: nil) == .intro)
        #expect(phase(price: nil, discount: .freeTrial) == .trial)
        #expect(phase(price: 0, discount: nil) == .trial)
    }

    @Test("No offer, or an unknown one, is standard")
    func standard() {
        #expect(given(.subscribed("1", day(0), day(30))).answer(day(1))?.phase == .standard)
        #expect(phase(nil, nil, price: 0) == .standard)
        #expect(phase(9, nil, price: 990) == .standard)
        #expect(phase(9, "PAY_UP_FRONT", price: 990) == .standard)
    }
}
