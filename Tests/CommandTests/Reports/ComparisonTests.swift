import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import TestSupport
import Testing

@testable import subledger

@Suite("Definitions of other products beside ours")
struct ComparisonTests {
    /// A monthly chain that ends, a weekly one, and one in a trial.
    private static let shared = SharedLedger { ledger in
        let trial = MadeChain(id: "660000000000003").bought().asTrial
        let weekly = MadeChain(id: "660000000000002", product: "com.example.weekly").bought()
        _ = try await ledger.ingest(MadeChain(id: "660000000000001").life + [weekly, trial])
        ledger.configuration.catalogue.products[ProductId("com.example.weekly")] =
            Catalogue.Product(period: ISO8601Period(days: 7))
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func report(
        _ ledger: TemporaryLedger, _ metric: String, _ pack: DefinitionPack, by: [String] = []
    ) async throws -> Report {
        try await ledger.metrics { try await $0.comparison(metric, .made(by: by), pack) }
    }

    private static let documented: [(String, DefinitionPack)] = [
        ("active", .revenuecat), ("active", .adapty), ("active", .appstoreconnect),
        ("churn", .revenuecat), ("churn", .adapty), ("churn", .stripe), ("mrr", .revenuecat),
        ("mrr", .adapty), ("mrr", .stripe), ("active", .stripe),
    ]

    /// All other metrics and products.
    static let further: [(String, DefinitionPack)] = [
        ("arr", .revenuecat), ("arr", .adapty), ("arr", .stripe), ("mrr-movement", .revenuecat),
        ("mrr-movement", .stripe), ("reactivations", .revenuecat), ("reactivations", .adapty),
        ("recoveries", .adapty), ("refunds", .revenuecat), ("refunds", .adapty),
        ("refunds", .appstoreconnect), ("refunds-by-purchase", .revenuecat),
        ("retention", .revenuecat), ("retention", .adapty), ("retention", .appstoreconnect),
        ("revenue", .revenuecat), ("starts", .revenuecat), ("starts", .adapty),
        ("starts", .appstoreconnect), ("trials", .revenuecat), ("trials", .adapty),
    ]

    @Test("Every figure of ours is a column of the metric's own answer", arguments: further)
    func columns(_ metric: String, _ pack: DefinitionPack) async throws {
        let ledger = try await taken()
        let (compared, own) = try await ledger.metrics { query in
            let compared = try await query.comparison(metric, .made(), pack)
            return (compared, try await query.metric(try MetricName(metric), .made()))
        }
        for figure in try #require(compared.comparison).figures {
            let column =
                switch (metric, figure.name) {
                case ("retention", "step.1.reached"): "cohort"
                case ("mrr-movement", "churned"), ("mrr-movement", "churnedRevenue"):
                    "annualised.churned.total"
                case ("mrr-movement", let name): "annualised.\(name)"
                case (_, let name): name
                }
            #expect(own.columns.contains { $0.name == column }, "\(column)")
            let ours = compared.rows.filter { $0.figure == figure.name && $0.ours != 0 }
            let reported = own.rows.filter { $0.amounts[column] ?? 0 != 0 }
            #expect(ours.map(\.ours) == reported.map { $0.amounts[column] ?? 0 }, "\(column)")
            #expect(ours.map(\.from) == reported.map(\.from), "\(column)")
        }
        #expect(compared.rows.allSatisfy { compared.isBalanced($0) })
        let rows = CommaSeparated.rows(String(decoding: compared.csv(), as: UTF8.self))
        #expect(rows.allSatisfy { $0.count == rows[0].count })
    }

    @Test(
        "Ours equals the metric's answer, and every rule has an explanation", arguments: documented)
    func ours(_ metric: String, _ pack: DefinitionPack) async throws {
        let ledger = try await taken()
        let (compared, ours) = try await ledger.metrics { query -> (Report, [Int64]) in
            let compared = try await query.comparison(metric, .made(), pack)
            if metric == "churn" {
                return (compared, try await query.churn(.made()).rows.map(\.churned))
            }
            let column = metric == "mrr" ? "annualised" : "active"
            let own = try await query.metric(try MetricName(metric), .made()).rows
            return (compared, own.compactMap { $0.amounts[column] ?? 0 })
        }
        #expect(!compared.rows.isEmpty)
        let stated = compared.rows.map(\.ours).filter { $0 != 0 }
        #expect(stated == ours.filter { $0 != 0 })
        #expect(compared.rows.allSatisfy { compared.isBalanced($0) })
        #expect(compared.rows.map(\.theirs) == Self.theirs(metric, pack))
        let json = try TemporaryLedger.json { compared.write(to: &$0) }
        #expect(json["rules"]?.array?.count == compared.rules.count)
        let rows = CommaSeparated.rows(String(decoding: compared.csv(), as: UTF8.self))
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        let text = compared.text()
        for rule in compared.rules { #expect(text.contains(rule.theirs)) }
        #expect(text.contains("119.88") == (metric == "mrr"))
    }

    /// Counted by hand from January on: a monthly chain until 11 March, set to cancel on
    /// 19 February; a weekly chain and a trial that were not renewed on 9 February.
    private static func theirs(_ metric: String, _ pack: DefinitionPack) -> [Int64] {
        let month: Int64 = 9_990 * 12
        switch (metric, pack) {
        case ("active", .adapty): return [2, 0, 0, 0]
        // The weekly and the monthly chain ended without a stated reason or a known retry.
        case ("active", .stripe): return [2, 1, 0, 0]
        case ("active", _): return [2, 1, 0, 0]
        case ("churn", _): return [0, 1, 1, 0]
        case ("mrr", .revenuecat): return [month + 9_990 * 48, month]
        // 9,990 × 12 / 0.23, rounded.
        case ("mrr", .adapty): return [month + 521_217, month]
        default: return [month + 9_990 * 52, month]
        }
    }

    @Test("A metric that the product does not document is an error that lists the documented ones")
    func undocumented() async throws {
        let ledger = try TemporaryLedger()
        for metric in ["retention", "ltv", "nonsense"] {
            let error = await #expect(throws: MetricsError.self) {
                try await report(ledger, metric, .stripe)
            }
            #expect(error?.code == "undocumentedDefinition")
            #expect(
                error?.message.contains("stripe: active, arr, churn, mrr, mrr-movement") == true)
        }
        let error = await #expect(throws: MetricsError.self) {
            try await report(ledger, "churn", .stripe, by: ["product"])
        }
        #expect(error == .comparedWhole)
    }

    @Test(
        "A weekly price counts 52 / 12, 4 or 1 / 0.23 per month; the rule has the difference"
    )
    func weeks() async throws {
        let ledger = try await taken()
        let month = try #require(try await report(ledger, "mrr", .revenuecat).rows.first)
        #expect(month.ours == 9_990 * 12 + 9_990 * 52)
        #expect(month["fourWeeksAMonth"] == 9_990 * 48 - 9_990 * 52)
        #expect(month["fourWeeksAMonth.chains"] == 1)
        let adapty = try #require(try await report(ledger, "mrr", .adapty).rows.first)
        #expect(adapty["weekOf023Months"] == 1_737)
    }

    @Test(
        "A price of days counts × 30, × 10, × 2 or × 28 / days per month",
        arguments: [
            (1, 9_990 * 365, 9_990 * 30 * 12), (3, 3_330 * 365, 9_990 * 10 * 12),
            (10, 999 * 365, 999 * 28 * 12), (14, 9_990 * 26, 9_990 * 2 * 12),
            (21, 3_330 * 52, 3_330 * 4 * 12),
        ] as [(Int64, Int64, Int64)])
    func days(_ days: Int64, ours: Int64, theirs: Int64) async throws {
        var ledger = try TemporaryLedger()
        _ = try await ledger.ingest([MadeChain().bought()])
        ledger.configuration.catalogue.products[ProductId(MadeChain.product)] =
            Catalogue.Product(period: ISO8601Period(days: days))
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let month = try #require(try await report(ledger, "mrr", .revenuecat).rows.first)
        #expect(month.ours == ours)
        #expect(month.theirs == theirs)
    }

    @Test(
        "Remarks of our own answer also appear in the comparison",
        arguments: [DefinitionPack.revenuecat, .adapty, .stripe])
    func remarks(_ pack: DefinitionPack) async throws {
        var ledger = try await taken()
        _ = try await ledger.ingest([
            MadeChain(id: "660000000000004").bought().withTransaction { $0.price = nil },
            MadeChain(id: "660000000000005").bought().withTransaction { $0.currency = "EUR" },
        ])
        ledger.configuration.catalogue = Catalogue()
        let compared = try await report(ledger, "mrr", pack).stamp.remarks
        #expect(compared == [.inferredPeriods, .unpriced, .severalCurrencies])
        #expect(try await report(ledger, "churn", .stripe).stamp.remarks.isEmpty)
    }

    @Test("Too many intervals are an error that states the limit")
    func intervals() async throws {
        let ledger = try await taken()
        func ask(_ to: String) async throws -> Int {
            var words = MetricParameters()
            (words.from, words.to, words.interval) = ("2025-01-01", to, "day")
            return try await ledger.metrics { [words] query in
                try await query.comparison("churn", words, .adapty).rows.count
            }
        }
        #expect(try await ask("2026-02-05") == MetricsQuery.comparedIntervalCount)
        let error = await #expect(throws: MetricsError.self) { try await ask("2026-02-06") }
        #expect(error == .tooManyIntervals(limit: MetricsQuery.comparedIntervalCount))
        #expect(error?.message.contains("400") == true)
    }

    /// Paid for three periods, of which the second is refunded; optionally reversed, and granted
    /// again with the same date.
    private func refunded(_ reversed: Bool, again: Bool = false) async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        let chain = MadeChain(id: "660000000000006")
        let date = chain.start(1).advanced(byMilliseconds: 20 * 86_400_000)
        func refund(at signed: Timestamp) -> MadeDelivery {
            chain.notification(.refund, nil, 1, at: signed).withTransaction {
                $0.revocationDate = date
            }
        }
        let back = chain.notification(
            .refundReversed, nil, 1, at: date.advanced(byMilliseconds: 3_600_000))
        var deliveries = [chain.bought(), chain.renewed(1), refund(at: date)]
        if reversed { deliveries.append(back) }
        if again { deliveries.append(refund(at: date.advanced(byMilliseconds: 7_200_000))) }
        _ = try await ledger.ingest(deliveries + [chain.renewed(3)])
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        return ledger
    }

    @Test(
        "A refunded subscription is in no month up to the refunded period, but in later ones")
    func refundedRemoved() async throws {
        // At the ends of January, February and April; in March it is revoked.
        let month: Int64 = 9_990 * 12
        let reported = try await report(try await refunded(false), "mrr", .adapty).rows
        #expect(reported.map(\.ours) == [month, month, month])
        #expect(reported.map(\.theirs) == [0, 0, month])
        #expect(reported.first?["refundedRemoved.chains"] == 1)
        let reversed = try await report(try await refunded(true), "mrr", .adapty).rows
        #expect(reversed.map(\.theirs) == reversed.map(\.ours))
        #expect(reversed.map(\.theirs) == [month, month, month])
        let again = try await report(try await refunded(true, again: true), "mrr", .adapty).rows
        #expect(again.map(\.ours) == [month, month, month])
        #expect(again.map(\.theirs) == [0, 0, month])
    }

    @Test("Past due chains still recur for Stripe and are lost when retry ends, in both metrics")
    func pastDue() async throws {
        var ledger = try TemporaryLedger()
        let chain = MadeChain(id: "660000000000007")
        // Retry from 9 February to 20 March.
        let failed = chain.notification(
            .didFailToRenew, nil, 0, at: chain.start(1).advanced(byMilliseconds: 60_000),
            status: .billingRetry)
        let lost = chain.notification(
            .expired, .billingRetry, 0,
            at: chain.start(1).advanced(byMilliseconds: 39 * 86_400_000), willRenew: false,
            status: .expired)
        _ = try await ledger.ingest([chain.bought(), failed, lost])
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let churn = try await report(ledger, "churn", .stripe).rows
        #expect(churn.map(\.ours) == [0, 1, 0, 0])
        #expect(churn.map(\.theirs) == [0, 0, 1, 0])
        let moved = churn.map { $0["pastDueIncluded"] }
        #expect(moved == [0, -1, 1, 0])
        let money = try await report(ledger, "mrr", .stripe).rows
        #expect(money.map(\.ours) == [119_880, 0])
        #expect(money.map(\.theirs) == [119_880, 119_880])
    }

    @Test("Trials are excluded by others, and chains with auto-renew off by Adapty")
    func active() async throws {
        let ledger = try await taken()
        let january = try #require(try await report(ledger, "active", .adapty).rows.first)
        #expect(january.ours == 3)
        #expect(january["trialsExcluded"] == -1)
        #expect(january.theirs == 2)
        let churn = try await report(ledger, "churn", .adapty).rows
        let (theirs, ours) = (churn.map(\.theirs).reduce(0, +), churn.map(\.ours).reduce(0, +))
        #expect(theirs == 2)
        #expect(ours == 3)
    }
}
