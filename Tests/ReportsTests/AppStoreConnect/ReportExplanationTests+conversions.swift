import LedgerTestSupport
import Simulator
import Testing

@testable import AppStore
@testable import Reports

/// First payments after an introductory offer: Apple's conversions, and our renewals.
extension ReportExplanationTests {
    /// The same purchase with an offer.
    private func offered(
        _ delivery: MadeDelivery, _ type: OfferType, _ discount: OfferDiscountType
    ) -> MadeDelivery {
        delivery.withTransaction {
            $0.price = discount == .freeTrial ? 0 : 990
            $0.offerType = Raw(type)
            $0.offerDiscountType = Raw(discount)
        }
    }

    @Test("Within an introductory offer, and from or to another offer, nothing is a conversion")
    func noConversion() async throws {
        let table = try self.table([
            events(
                "2026-02-09\tPaid Subscription from Introductory Offer\t0", "2026-02-09\tRenew\t1")
        ])
        let made = try chain(1)
        let (first, next) = (made.bought(), made.renewed(1))
        let lives: [[MadeDelivery]] = [
            [
                offered(first, .introductoryOffer, .payAsYouGo),
                offered(next, .introductoryOffer, .payAsYouGo),
            ],
            [
                offered(first, .introductoryOffer, .freeTrial),
                offered(next, .promotionalOffer, .payAsYouGo),
            ],
            [offered(first, .promotionalOffer, .freeTrial), next],
            [offered(first, .offerCode, .freeTrial), next],
            [offered(first, .winBackOffer, .freeTrial), next],
        ]
        for life in lives {
            let found = try await explain(life, table)
            #expect(found.lines == ["renewals 2026-02-09 1 1:"])
        }
    }

    @Test(
        "The first payment after an introductory offer is Apple's conversion, and our renewal",
        arguments: [OfferDiscountType.freeTrial, .payAsYouGo, .payUpFront])
    func conversion(_ discount: OfferDiscountType) async throws {
        let table = try self.table([
            events(
                "2026-02-09\tPaid Subscription from Introductory Offer\t1", "2026-02-09\tRenew\t0",
                "2026-01-10\tStart Introductory Offer\t1")
        ])
        let made = try chain(1)
        let found = try await explain(
            [offered(made.bought(), .introductoryOffer, discount), made.renewed(1)], table)
        #expect(
            found.lines == [
                "starts 2026-01-10 1 1:", "trialConversions 2026-02-09 1 1:",
                "renewals 2026-02-09 0 1: trialConversions -1 (1)",
            ])
    }

    @Test("A change of product from an introductory offer is a conversion, at once or at its end")
    func productChange() async throws {
        let made = try chain(1)
        let first = made.bought().asTrial.withTransaction {
            $0.productId = ProductId("com.example.other")
        }
        let at = made.start.advanced(byMilliseconds: 10 * 86_400_000)
        let upgraded = made.notification(.didChangeRenewalPref, .upgrade, 1, at: at)
            .withTransaction {
                $0.purchaseDate = at
                $0.expiresDate = at.advanced(byMilliseconds: MadeChain.periodMilliseconds)
                $0.transactionReason = Raw(.purchase)
            }
        let atOnce = try self.table([events("2026-01-20\tUpgrade from Introductory Offer\t1")])
        let one = try await explain([first, upgraded], atOnce)
        #expect(one.lines == ["trialConversions 2026-01-20 1 1:"])
        let atEnd = try self.table([
            events("2026-02-09\tDowngrade From Introductory Offer\t1", "2026-02-09\tRenew\t0")
        ])
        let other = try await explain([first, made.renewed(1)], atEnd)
        #expect(
            other.lines == [
                "trialConversions 2026-02-09 1 1:",
                "renewals 2026-02-09 0 1: trialConversions -1 (1)",
            ])
    }

    /// A trial whose renewal fails, and the payment two days after its end.
    private func paidLate(_ made: MadeChain, in status: SubscriptionStatus) -> [MadeDelivery] {
        let (failed, paid) = (made.start(1, 60_000), made.start(1, 2 * 86_400_000))
        var failure = made.notification(.didFailToRenew, nil, 0, at: failed, status: status).asTrial
        if status == .billingGracePeriod,
            case .notification(var payload, let transaction, var renewal?) = failure.evidence
        {
            payload.subtype = Raw(.gracePeriod)
            renewal.gracePeriodExpiresDate = made.start(1, 16 * 86_400_000)
            failure.evidence = .notification(payload, transaction, renewal)
        }
        let recovery = made.notification(.didRenew, .billingRecovery, 1, at: paid).withTransaction {
            $0.purchaseDate = paid
            $0.expiresDate = paid.advanced(byMilliseconds: MadeChain.periodMilliseconds)
        }
        return [made.bought().asTrial, failure, recovery]
    }

    @Test("A trial paid in billing retry is a renewal alone; one paid in grace is a conversion")
    func lateConversion() async throws {
        let table = try self.table([
            events(
                "2026-02-11\tPaid Subscription from Introductory Offer\t1", "2026-02-11\tRenew\t0")
        ])
        let retried = try await explain(paidLate(chain(1), in: .billingRetry), table)
        #expect(
            retried.lines == [
                "trialConversions 2026-02-11 1 0: unexplained 1 (0)",
                "renewals 2026-02-11 0 1: unexplained -1 (1)",
            ])
        let found = try await explain(paidLate(chain(1), in: .billingGracePeriod), table)
        #expect(
            found.lines == [
                "trialConversions 2026-02-11 1 1:",
                "renewals 2026-02-11 0 1: trialConversions -1 (1)",
            ])
    }
}
