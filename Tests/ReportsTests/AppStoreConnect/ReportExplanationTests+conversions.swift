import LedgerTestSupport
import Simulator
import Testing

@testable import AppStore
@testable import Reports

/// First payments after a trial: Apple's conversions, and our renewals.
extension ReportExplanationTests {
    @Test("The first payment after a trial is Apple's conversion, and our renewal")
    func conversion() async throws {
        let table = try self.table([
            events(
                "2026-02-09\tPaid Subscription from Introductory Offer\t1", "2026-02-09\tRenew\t0",
                "2026-01-10\tStart Introductory Offer\t1")
        ])
        let made = try chain(1)
        let found = try await explain([made.bought().asTrial, made.renewed(1)], table)
        #expect(
            found.lines == [
                "starts 2026-01-10 1 1:", "trialConversions 2026-02-09 1 1:",
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
