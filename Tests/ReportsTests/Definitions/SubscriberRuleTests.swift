import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Testing

/// Movements of money, and subscribers with several chains, counted by hand.
@Suite("Movements and subscribers by other definitions")
struct SubscriberRuleTests {
    private static let month: Int64 = 9_990 * 12

    private static let now = Timestamp(milliseconds: 1_781_481_600_000)

    private func ledger(_ deliveries: [MadeDelivery]) async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        ledger.now = SubscriberRuleTests.now
        _ = try await ledger.ingest(deliveries)
        return ledger
    }

    private func rows(
        _ ledger: TemporaryLedger, _ metric: String, _ pack: DefinitionPack,
        where filters: [String] = []
    ) async throws -> [Report.Row] {
        try await ledger.metrics {
            try await $0.comparison(metric, .made(where: filters), pack).rows
        }
    }

    /// By month from January; 0 where there is no row.
    private func months(
        _ rows: [Report.Row], _ figure: String,
        _ amount: (Report.Row) -> Int64
    ) -> [Int64] {
        ["2026-01", "2026-02", "2026-03", "2026-04"].map { month in
            rows.filter { $0.figure == figure && $0.from.rfc3339.hasPrefix(month) }
                .reduce(0) { $0 + amount($1) }
        }
    }

    private func expect(
        _ rows: [Report.Row], _ figure: String, _ amount: (Report.Row) -> Int64,
        _ expected: [Int64], _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            months(rows, figure, amount) == expected, comment, sourceLocation: sourceLocation)
    }

    /// A trial that converts in February and ends in March; a chain paid from January, ended in
    /// February and back from April on.
    private var lives: [MadeDelivery] {
        let (tried, back) = (MadeChain(id: "680000000000001"), MadeChain(id: "680000000000002"))
        let trial = tried.bought().asTrial
        let again = back.notification(.subscribed, .resubscribe, 3, at: back.start(3))
            .withTransaction { $0.transactionReason = Raw(.purchase) }
        return [trial, tried.renewed(1), tried.expired(1), back.bought(), back.expired(0), again]
    }

    @Test("RevenueCat has new and churned: returns can make churned negative")
    func newLessChurned() async throws {
        let rows = try await rows(try await ledger(lives), "mrr-movement", .revenuecat)
        let month = Self.month
        expect(rows, "new", \.ours, [month, 0, 0, 0])
        expect(rows, "new", \.theirs, [month, month, 0, 0])
        expect(rows, "churned", \.ours, [0, month, month, 0])
        expect(rows, "churned", \.theirs, [0, month, month, -month])
    }

    /// A life, and what RevenueCat counts of it from January to April.
    private struct Netted {
        let deliveries: [MadeDelivery]
        let new: [Int64]
        /// Months of money, net.
        let churned: [Int64]
        /// Losses and returns of `churn`.
        let lost: [Int64]
    }

    /// Lives in which a first payment or a return has another column of ours, counted by hand.
    private var nettedLives: [Netted] {
        let chain = MadeChain(id: "680000000000007")
        let late = chain.start(1, 24 * 86_400_000)
        let failed = chain.notification(
            .didFailToRenew, nil, 0, at: chain.start(1, 60_000), status: .billingRetry)
        let recovery = chain.notification(.didRenew, .billingRecovery, 1, at: late)
            .withTransaction {
                $0.purchaseDate = late
                $0.expiresDate = late.advanced(byMilliseconds: MadeChain.periodMilliseconds)
            }
        let winBack = chain.notification(.subscribed, .resubscribe, 2, at: chain.start(2))
            .withTransaction { $0.transactionReason = Raw(.purchase) }
        let (refunded, reversed) = (
            chain.start(0, 3 * 86_400_000), chain.start(0, 6 * 86_400_000)
        )
        let refund = chain.notification(.refund, nil, 0, at: refunded, status: .revoked)
            .withTransaction { $0.revocationDate = refunded }
        return [
            // A trial, and its first payment after billing retry.
            Netted(
                deliveries: [chain.bought().asTrial, failed.asTrial, recovery],
                new: [0, 0, 1, 0], churned: [0, 0, 0, 1], lost: [0, 0, 0, 1]),
            // Paid, lost, back for free, and paid again.
            Netted(
                deliveries: [chain.bought(), chain.expired(0), winBack.asTrial, chain.renewed(3)],
                new: [1, 0, 0, 0], churned: [0, 1, 0, -1], lost: [0, 1, 0, -1]),
            // Paid, free for a period, and paid again: nothing was lost.
            Netted(
                deliveries: [chain.bought(), chain.renewed(1).asTrial, chain.renewed(2)],
                new: [1, 0, 0, 0], churned: [0, 1, -1, 1], lost: [0, 0, 0, 1]),
            // Refunded, and the refund reversed.
            Netted(
                deliveries: [
                    chain.bought(), refund,
                    chain.notification(.refundReversed, nil, 0, at: reversed),
                ],
                new: [1, 0, 0, 0], churned: [0, 1, 0, 0], lost: [0, 1, 0, 0]),
        ]
    }

    @Test("RevenueCat's first payment is new, and only what comes back after a loss is a return")
    func firstPayments() async throws {
        for (index, life) in nettedLives.enumerated() {
            let ledger = try await ledger(life.deliveries)
            let movement = try await rows(ledger, "mrr-movement", .revenuecat)
            #expect(
                months(movement, "new", \.theirs) == life.new.map { $0 * Self.month }, "\(index)")
            #expect(
                months(movement, "churned", \.theirs) == life.churned.map { $0 * Self.month },
                "\(index)")
            let churn = try await rows(ledger, "churn", .revenuecat)
            expect(churn, "churned", \.theirs, life.lost, "\(index)")
        }
    }

    @Test("New less churned is the whole change of RevenueCat's recurring money, by four weeks")
    func balance() async throws {
        let weekly = MadeChain(id: "680000000000003", product: "com.example.weekly")
        var ledger = try await ledger(lives + [weekly.bought()])
        ledger.configuration.catalogue.products[ProductId("com.example.weekly")] =
            Catalogue.Product(period: ISO8601Period(days: 7))
        let movement = try await rows(ledger, "mrr-movement", .revenuecat)
        let standing = try await rows(ledger, "mrr", .revenuecat)
        let (new, churned) = (
            months(movement, "new", \.theirs), months(movement, "churned", \.theirs)
        )
        var sum: Int64 = 0
        let ends = zip(new, churned).map { new, churned in
            sum += new - churned
            return sum
        }
        #expect(ends == months(standing, "annualised", \.theirs))
        #expect(new[0] == Self.month + 9_990 * 48)
    }

    /// Of one customer two subscriptions: the first until 9 February, the second from 20 January
    /// until 21 March.
    private static func doubled(_ token: String?) -> SharedLedger {
        SharedLedger { ledger in
            var first = MadeChain(id: "680000000000004")
            var second = MadeChain(id: "680000000000005")
            second.start = first.start.advanced(byMilliseconds: 10 * 86_400_000)
            (first.appAccountToken, second.appAccountToken) = (token, token)
            ledger.now = now
            _ = try await ledger.ingest([
                first.bought(), second.bought(), first.expired(0), second.renewed(1),
                second.expired(1),
            ])
        }
    }

    private static let token = "7b3f2f0e-1d7c-4f5e-9a53-0c8f4a6b9d21"
    private static let together = doubled(token)
    private static let separate = doubled(nil)

    @Test("Stripe's subscriber is new once; the first of two subscriptions to end is a contraction")
    func perSubscriber() async throws {
        let month = Self.month
        let rows = try await rows(try await Self.together.copy(), "mrr-movement", .stripe)
        expect(rows, "new", \.ours, [2 * month, 0, 0, 0])
        expect(rows, "new", \.theirs, [month, 0, 0, 0])
        expect(rows, "expansion", \.theirs, [month, 0, 0, 0])
        expect(rows, "contraction", \.theirs, [0, month, 0, 0])
        expect(rows, "churned", \.ours, [0, month, month, 0])
        expect(rows, "churned", \.theirs, [0, 0, month, 0])
        expect(rows, "churnedRevenue", \.theirs, [0, month, month, 0])
        let apart = try await self.rows(
            try await Self.separate.copy(), "mrr-movement", .stripe)
        expect(apart, "churned", \.theirs, [0, month, month, 0])
    }

    @Test("Stripe counts subscribers, not products: active, lost and its base")
    func counted() async throws {
        let ledger = try await Self.together.copy()
        let active = try await rows(ledger, "active", .stripe)
        expect(active, "active", \.ours, [2, 1, 0, 0])
        expect(active, "active", \.theirs, [1, 1, 0, 0])
        let churn = try await rows(ledger, "churn", .stripe)
        expect(churn, "churned", \.ours, [0, 1, 1, 0])
        expect(churn, "churned", \.theirs, [0, 0, 1, 0])
        // Of one new subscriber, then of one active 30 days before each end, then of none.
        #expect(churn.map(\.base) == [1, 1, 1, 0])
        let apart = try await rows(try await Self.separate.copy(), "churn", .stripe)
        expect(apart, "churned", \.theirs, [0, 1, 1, 0])
    }

    @Test("Stripe's subscriber is lost when payment stops, also for free time or a family's copy")
    func unpaidTime() async throws {
        func copy(_ made: MadeDelivery) -> MadeDelivery {
            made.withTransaction { $0.inAppOwnershipType = Raw(.familyShared) }
        }
        let chain = MadeChain(id: "680000000000008", appAccountToken: Self.token)
        var second = MadeChain(id: "680000000000009", appAccountToken: Self.token)
        second.start = chain.start.advanced(byMilliseconds: 10 * 86_400_000)
        let free = [chain.bought(), chain.renewed(1).asTrial, chain.expired(1).asTrial]
        let shared = [chain.bought(), copy(chain.renewed(1)), copy(chain.expired(1))]
        let besideTrial = [
            chain.bought(), chain.expired(0), second.bought().asTrial, second.expired(0).asTrial,
        ]
        let besidePaid = shared + [second.bought(), second.renewed(1), second.expired(1)]
        let reverse = [copy(chain.bought()), chain.renewed(1), chain.expired(1)]
        let cases: [(deliveries: [MadeDelivery], ours: [Int64], theirs: [Int64], base: [Int64?])] =
            [
                (free, [0, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 0]),
                (shared, [0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]),
                (reverse, [0, 0, 1, 0], [0, 0, 1, 0], [0, 1, 1, 0]),
                // Beside a trial of the same subscriber that runs on.
                (besideTrial, [0, 2, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]),
                // Beside a payment of the same subscriber that goes on until 21 March.
                (besidePaid, [0, 0, 1, 0], [0, 0, 1, 0], [1, 1, 1, 0]),
            ]
        for (index, life) in cases.enumerated() {
            let ledger = try await ledger(life.deliveries)
            let churn = try await rows(ledger, "churn", .stripe)
            expect(churn, "churned", \.ours, life.ours, "\(index)")
            expect(churn, "churned", \.theirs, life.theirs, "\(index)")
            #expect(churn.map(\.base) == life.base, "\(index)")
            let movement = try await rows(ledger, "mrr-movement", .stripe)
            #expect(
                months(movement, "churned", \.theirs) == life.theirs.map { $0 * Self.month },
                "\(index)")
        }
    }

    @Test("A filter that chains can leave is refused where losses of subscribers are counted")
    func filtered() async throws {
        let ledger = try await Self.together.copy()
        for filter in ["product=\(MadeChain.product)", "country=USA"] {
            for metric in ["churn", "mrr-movement"] {
                await #expect(throws: MetricsError.comparedWhole) {
                    try await rows(ledger, metric, .stripe, where: [filter])
                }
            }
            let active = try await rows(ledger, "active", .stripe, where: [filter])
            expect(active, "active", \.theirs, [1, 1, 0, 0])
        }
        let app = try await rows(ledger, "churn", .stripe, where: ["app=\(MadeChain.app)"])
        expect(app, "churned", \.theirs, [0, 0, 1, 0])
    }

    @Test(
        "Stripe's reactivation is a payment after none; a change of currency is no movement")
    func comeBack() async throws {
        let month = Self.month
        let stripe = try await rows(try await ledger(lives), "mrr-movement", .stripe)
        expect(stripe, "new", \.theirs, [month, month, 0, 0])
        expect(stripe, "reactivated", \.theirs, [0, 0, 0, month])
        let chain = MadeChain(id: "680000000000006")
        let moved = chain.renewed(1).withTransaction { $0.currency = "EUR" }
        let euros = try await rows(
            try await ledger([chain.bought(), moved]), "mrr-movement", .stripe)
        expect(euros, "new", \.theirs, [month, 0, 0, 0])
        expect(euros, "churned", \.theirs, [0, 0, month, 0])
        expect(euros, "contraction", \.theirs, [0, 0, 0, 0])
    }
}
