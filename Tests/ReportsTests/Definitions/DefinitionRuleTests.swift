import AppStore
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Testing

/// Worlds in which a rule makes a difference, counted by hand. Periods have 30 days: from
/// 10 January, 9 February, 11 March, 10 April; the columns are January to April.
@Suite("The effect of each rule")
struct DefinitionRuleTests {
    private func ledger(_ deliveries: [MadeDelivery]) async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        _ = try await ledger.ingest(deliveries)
        return ledger
    }

    private func compared(
        _ ledger: TemporaryLedger, _ metric: String, _ pack: DefinitionPack, by: [String] = [],
        where filters: [String] = []
    ) async throws -> Report {
        try await ledger.metrics {
            try await $0.comparison(metric, .made(by: by, where: filters), pack)
        }
    }

    /// Ours and theirs of one figure by month; 0 where there is no row.
    private func months(
        _ report: Report, _ figure: String
    ) -> (ours: [Int64], theirs: [Int64]) {
        let months = ["2026-01", "2026-02", "2026-03", "2026-04"]
        let rows = months.map { month in
            report.rows.filter { $0.figure == figure && $0.from.rfc3339.hasPrefix(month) }
        }
        return (
            rows.map { $0.reduce(0) { $0 + $1.ours } }, rows.map { $0.reduce(0) { $0 + $1.theirs } }
        )
    }

    private func expect(
        _ report: Report, _ figure: String, ours: [Int64]? = nil, theirs: [Int64]? = nil,
        _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = months(report, figure)
        let (expectedOurs, expectedTheirs) = (ours ?? found.ours, theirs ?? found.theirs)
        #expect(found.ours == expectedOurs, comment, sourceLocation: sourceLocation)
        #expect(found.theirs == expectedTheirs, comment, sourceLocation: sourceLocation)
    }

    private func day(_ chain: MadeChain, _ period: Int, _ days: Int64) -> Timestamp {
        chain.start(period).advanced(byMilliseconds: days * 86_400_000)
    }

    private func refund(_ chain: MadeChain, _ period: Int, after days: Int64) -> MadeDelivery {
        let date = day(chain, period, days)
        return chain.notification(.refund, nil, period, at: date).withTransaction {
            $0.revocationDate = date
        }
    }

    /// Paid in January, ended in February, back in April.
    private let returned = MadeChain(id: "670000000000002")

    private var cameBack: [MadeDelivery] {
        [
            returned.bought(), returned.expired(0),
            returned.notification(.subscribed, .resubscribe, 3, at: day(returned, 3, 0))
                .withTransaction { $0.transactionReason = Raw(.purchase) },
        ]
    }

    /// In retry from 9 February, paid 24 days later, on 5 March.
    private var recovered: [MadeDelivery] {
        let chain = MadeChain(id: "670000000000003")
        let paid = day(chain, 1, 24)
        return [
            chain.bought(),
            chain.notification(
                .didFailToRenew, nil, 0, at: day(chain, 1, 0).advanced(byMilliseconds: 60_000),
                status: .billingRetry),
            chain.notification(.didRenew, .billingRecovery, 1, at: paid).withTransaction {
                $0.purchaseDate = paid
                $0.expiresDate = paid.advanced(byMilliseconds: MadeChain.periodMilliseconds)
            },
        ]
    }

    @Test("New paid: a trial's first payment for RevenueCat, a late payment for App Store Connect")
    func starts() async throws {
        let chain = MadeChain(id: "670000000000001")
        let ledger = try await ledger(
            [chain.bought().asTrial, chain.renewed(1)] + cameBack + recovered)
        for (pack, expected) in [
            (DefinitionPack.adapty, [2, 0, 0, 0] as [Int64]), (.revenuecat, [2, 1, 0, 0]),
            (.appstoreconnect, [2, 0, 1, 1]),
        ] {
            let reported = months(try await compared(ledger, "starts", pack), "paidStarts")
            #expect(reported.ours == [2, 0, 0, 0], "\(pack)")
            #expect(reported.theirs == expected, "\(pack)")
        }
        // A filter applies to the paid period's value, not the trial's.
        let standard = try await compared(
            ledger, "starts", .revenuecat, where: ["phase=standard"])
        expect(standard, "paidStarts", theirs: [2, 1, 0, 0])
    }

    @Test("A family's copy before the first own period is neither a trial nor a payment")
    func copies() async throws {
        let chain = MadeChain(id: "670000000000015")
        let copy = chain.bought().withTransaction { $0.inAppOwnershipType = Raw(.familyShared) }
        let bought = chain.notification(.subscribed, .resubscribe, 1, at: day(chain, 1, 0))
            .withTransaction { $0.transactionReason = Raw(.purchase) }
        let again = chain.renewed(2)
        let cases: [(deliveries: [MadeDelivery], paid: [Int64], cohorts: [Int64])] = [
            ([copy], [0, 0, 0, 0], [0, 0, 0, 0]),
            // The beginning is unknown.
            ([bought.asTrial, again], [0, 0, 0, 0], [0, 0, 0, 0]),
            ([copy, bought, again], [0, 1, 0, 0], [0, 1, 0, 0]),
            ([copy, bought.asTrial, again], [0, 0, 1, 0], [0, 1, 0, 0]),
        ]
        for (index, (deliveries, paid, cohorts)) in cases.enumerated() {
            let ledger = try await ledger(deliveries)
            let starts = try await compared(ledger, "starts", .revenuecat)
            expect(starts, "paidStarts", ours: [0, 0, 0, 0], theirs: paid, "\(index)")
            let retention = try await compared(ledger, "retention", .adapty)
            expect(retention, "cohort", theirs: cohorts, "\(index)")
        }
    }

    @Test("Conversions: no refunded ones for RevenueCat, also later ones for Adapty")
    func trials() async throws {
        let (refunded, late, lost) = (
            MadeChain(id: "670000000000004"), MadeChain(id: "670000000000005"),
            MadeChain(id: "670000000000006")
        )
        let resubscribed = late.notification(.subscribed, .resubscribe, 3, at: day(late, 3, 0))
            .withTransaction { $0.transactionReason = Raw(.purchase) }
        let ledger = try await ledger([
            refunded.bought().asTrial, refunded.renewed(1), refund(refunded, 1, after: 3),
            late.bought().asTrial,
            late.expired(0).asTrial, resubscribed, lost.bought().asTrial, lost.expired(0).asTrial,
        ])
        let revenueCat = try await compared(ledger, "trials", .revenuecat)
        expect(revenueCat, "converted", ours: [1, 0, 0, 0], theirs: [0, 0, 0, 0])
        #expect(revenueCat.rows.first?.base == 3)
        let adapty = try await compared(ledger, "trials", .adapty)
        expect(adapty, "converted", theirs: [2, 0, 0, 0])
        #expect(adapty.rows.first?.base == nil)
    }

    @Test(
        "Reactivated: won back here, also recovered for RevenueCat, auto-renew back on for Adapty")
    func reactivations() async throws {
        let chain = MadeChain(id: "670000000000007")
        let off = chain.notification(
            .didChangeRenewalStatus, .autoRenewDisabled, 0, at: day(chain, 0, 5), willRenew: false)
        let on = chain.notification(
            .didChangeRenewalStatus, .autoRenewEnabled, 0, at: day(chain, 0, 10))
        let ledger = try await ledger(cameBack + recovered + [chain.bought(), off, on])
        let revenueCat = try await compared(ledger, "reactivations", .revenuecat)
        expect(revenueCat, "reactivated", ours: [0, 0, 0, 1], theirs: [0, 0, 1, 1])
        let adapty = try await compared(ledger, "reactivations", .adapty)
        expect(adapty, "reactivated", theirs: [1, 0, 0, 0])
    }

    @Test("Recoveries: by the day of the payment for Adapty, by that of the failure here")
    func recoveries() async throws {
        let report = try await compared(
            try await ledger(recovered), "recoveries", .adapty)
        expect(report, "billingRetry.recovered", ours: [0, 1, 0, 0], theirs: [0, 0, 1, 0])
        expect(report, "grace.recovered", theirs: [0, 0, 0, 0])
    }

    @Test("RevenueCat's cohorts: standard price, one product, one stay, and no refunded payment")
    func retention() async throws {
        let chain = MadeChain(id: "670000000000008")
        var yearly = chain
        yearly.product = "com.example.pro.yearly"
        let intro = chain.bought().withTransaction {
            $0.price = 990
            $0.offerType = Raw(.introductoryOffer)
            $0.offerDiscountType = Raw(.payAsYouGo)
        }
        let lives = [intro, chain.renewed(1), chain.renewed(2), yearly.renewed(3)]
        let report = try await compared(try await ledger(lives), "retention", .revenuecat)
        expect(report, "cohort", ours: [1, 0, 0, 0])
        expect(report, "step.4.reached", ours: [1, 0, 0, 0])
        expect(report, "cohort", theirs: [0, 1, 0, 1])
        expect(report, "step.1.reached", theirs: [0, 1, 0, 1])
        expect(report, "step.2.reached", theirs: [0, 1, 0, 0])
        expect(report, "step.3.reached", theirs: [0, 0, 0, 0])
        let steps = report.rows.filter { $0.figure == "step.3.reached" }
        #expect(steps.map(\.base) == [0, 1, 0, 1])
        let refunded = try await compared(
            try await ledger(lives + [refund(chain, 2, after: 3)]), "retention", .revenuecat)
        expect(refunded, "step.1.reached", theirs: [0, 1, 0, 1])
        expect(refunded, "step.2.reached", theirs: [0, 0, 0, 0])
        expect(refunded, "step.4.reached", ours: [1, 0, 0, 0])
    }

    @Test("A break before a period that does not count is one before the next payment")
    func brokenCohorts() async throws {
        let chain = MadeChain(id: "670000000000014")
        var yearly = chain
        yearly.product = "com.example.pro.yearly"
        func offer(_ made: MadeDelivery, _ kind: OfferDiscountType) -> MadeDelivery {
            made.withTransaction {
                $0.price = kind == .freeTrial ? 0 : 990
                $0.offerType = Raw(.winBackOffer)
                $0.offerDiscountType = Raw(kind)
            }
        }
        let back = chain.notification(.subscribed, .resubscribe, 2, at: day(chain, 2, 0))
            .withTransaction { $0.transactionReason = Raw(.purchase) }
        let lapsed = [chain.bought(), chain.expired(0), chain.renewed(3)]
        let changed = [chain.bought(), offer(yearly.renewed(1), .payAsYouGo), chain.renewed(2)]
        let (free, paid) = (offer(back, .freeTrial), offer(back, .payAsYouGo))
        let cases: [(deliveries: [MadeDelivery], revenueCat: [Int64], appStoreConnect: [Int64])] = [
            (lapsed + [paid], [1, 0, 0, 1], [1, 0, 1, 0]),
            (lapsed + [free], [1, 0, 0, 1], [1, 0, 0, 1]),
            (changed, [1, 0, 1, 0], [1, 0, 0, 0]),
        ]
        for (index, life) in cases.enumerated() {
            let ledger = try await ledger(life.deliveries)
            for (pack, cohorts) in [
                (DefinitionPack.revenuecat, life.revenueCat),
                (.appstoreconnect, life.appStoreConnect),
            ] {
                let report = try await compared(ledger, "retention", pack)
                expect(report, "cohort", ours: [1, 0, 0, 0], theirs: cohorts, "\(index)")
                expect(report, "step.1.reached", theirs: cohorts, "\(index)")
            }
        }
    }

    @Test("Adapty's cohorts begin with the trial; App Store Connect's also with a late payment")
    func otherCohorts() async throws {
        let (paying, lost) = (MadeChain(id: "670000000000009"), MadeChain(id: "670000000000010"))
        let ledger = try await ledger(
            [
                paying.bought().asTrial, paying.renewed(1), paying.renewed(2),
                lost.bought().asTrial,
                lost.expired(0).asTrial,
            ]
                + cameBack)
        let adapty = try await compared(ledger, "retention", .adapty)
        expect(adapty, "cohort", ours: [1, 1, 0, 0], theirs: [3, 0, 0, 0])
        expect(adapty, "step.1.reached", theirs: [2, 0, 0, 0])
        expect(adapty, "step.2.reached", theirs: [2, 0, 0, 0])
        let store = try await compared(ledger, "retention", .appstoreconnect)
        expect(store, "cohort", theirs: [1, 1, 0, 1])
        expect(store, "step.2.reached", ours: [1, 1, 0, 0], theirs: [0, 1, 0, 0])
    }

    @Test(
        "Refunds by the purchase for RevenueCat, and subtracted from its revenue on their own day")
    func refunds() async throws {
        let chain = MadeChain(id: "670000000000011")
        let ledger = try await ledger([chain.bought(), refund(chain, 0, after: 24)])
        let refunds = try await compared(ledger, "refunds", .revenuecat)
        for (figure, amount) in [("refunds", 1), ("refunded", 9_990)] as [(String, Int64)] {
            #expect(months(refunds, figure).ours == [0, amount, 0, 0])
            #expect(months(refunds, figure).theirs == [amount, 0, 0, 0])
        }
        for pack in [DefinitionPack.adapty, .appstoreconnect] {
            let same = try await compared(ledger, "refunds", pack)
            #expect(same.rules.isEmpty && same.rows.allSatisfy { $0.ours == $0.theirs })
            expect(same, "refunds", theirs: [0, 1, 0, 0])
        }
        let bought = try await compared(ledger, "refunds-by-purchase", .revenuecat)
        #expect(bought.rows.map(\.base) == [1, nil])
        let revenue = try await compared(ledger, "revenue", .revenuecat)
        expect(revenue, "gross", ours: [9_990, 0, 0, 0], theirs: [9_990, -9_990, 0, 0])
    }

    private static let revenueCatNames: [EndReason: String] = [
        .voluntary: "UNSUBSCRIBE", .billing: "BILLING_ERROR", .priceIncrease: "PRICE_INCREASE",
        .productUnavailable: "UNKNOWN", .refund: "CUSTOMER_SUPPORT", .familyRevoke: "UNKNOWN",
        .other: "UNKNOWN", .unconfirmed: "UNKNOWN",
    ]
    private static let adaptyNames: [EndReason: String] = [
        .voluntary: "customer cancel", .billing: "billing", .priceIncrease: "price not accepted",
        .productUnavailable: "unknown", .refund: "refund", .familyRevoke: "unknown",
        .other: "unknown", .unconfirmed: "unknown",
    ]

    private func names(of report: Report) -> [EndReason: String] {
        let reasons = report.comparison?.reasons ?? []
        return Dictionary(uniqueKeysWithValues: reasons.map { ($0.reason, $0.theirs) })
    }

    @Test("Reasons by Adapty's and RevenueCat's names, without trials")
    func reasons() async throws {
        let chain = MadeChain(id: "670000000000012")
        let failed = chain.notification(
            .didFailToRenew, nil, 0, at: day(chain, 1, 0).advanced(byMilliseconds: 60_000),
            status: .billingRetry)
        let gone = MadeChain(id: "670000000000013")
        let ledger = try await ledger(
            cameBack + [chain.bought(), failed, gone.bought().asTrial, gone.expired(0).asTrial])
        let adapty = try await compared(ledger, "churn", .adapty, by: ["reason"])
        expect(adapty, "customer cancel", ours: [0, 2, 0, 0], theirs: [0, 1, 0, 0])
        expect(adapty, "billing", theirs: [0, 1, 0, 0])
        let revenueCat = try await compared(ledger, "churn", .revenuecat, by: ["reason"])
        expect(revenueCat, "UNSUBSCRIBE", theirs: [0, 1, 0, 0])
        expect(revenueCat, "BILLING_ERROR", theirs: [0, 1, 0, 0])
        // The return in April is netted in the rate only.
        #expect(revenueCat.rules == [.trialsExcluded])
        #expect(revenueCat.comparison?.reasons.map(\.reason) == EndReason.allCases)
        #expect(names(of: revenueCat) == Self.revenueCatNames)
        #expect(names(of: adapty) == Self.adaptyNames)
        // Of three chains, one of them in its trial, two were paid when February began.
        let whole = try await compared(ledger, "churn", .revenuecat)
        expect(whole, "churned", ours: [0, 3, 0, 0])
        #expect(whole.rows.map(\.base) == [0, 2, 0, 0])
        let json = try TemporaryLedger.json { revenueCat.write(to: &$0) }
        #expect(json["reasons"]?.array?.count == EndReason.allCases.count)
        for (metric, pack) in [("churn", DefinitionPack.stripe), ("active", .adapty)] {
            await #expect(throws: MetricsError.self) {
                try await compared(ledger, metric, pack, by: ["reason"])
            }
        }
    }
}
