import AppStore
import Ledger
import LedgerService
import Testing

@Suite("Definitions of other products beside ours")
struct ComparisonTests {
    /// One who pays by the month and leaves, one who pays by the week, one in a trial.
    private func taken() async throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        let trial = MadeChain(id: "660000000000003").bought().withTransaction {
            $0.price = 0
            $0.offerType = Raw(.introductoryOffer)
            $0.offerDiscountType = Raw(.freeTrial)
        }
        let weekly = MadeChain(id: "660000000000002", product: "com.example.weekly").bought()
        _ = try await ledger.ingest(MadeChain(id: "660000000000001").life + [weekly, trial])
        ledger.configuration.catalogue.products[ProductId("com.example.weekly")] =
            Catalogue.Product(period: ISO8601Period(days: 7))
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        return ledger
    }

    private func report(
        _ ledger: TemporaryLedger, _ metric: String, _ pack: DefinitionPack, by: [String] = []
    ) async throws -> ComparisonReport {
        var words = MetricsWords()
        (words.from, words.to, words.by) = ("2026-01-01", "2026-05-01", by)
        return try await ledger.session { [words] session in
            let query = MetricsQuery(session.query, reportTimeZone: "UTC", now: ledger.now)
            return try await query.comparison(metric, words, pack)
        }
    }

    private static let documented: [(String, DefinitionPack)] = [
        ("active", .revenuecat), ("active", .adapty), ("active", .appstoreconnect),
        ("churn", .revenuecat), ("churn", .adapty), ("churn", .stripe), ("mrr", .revenuecat),
        ("mrr", .adapty), ("mrr", .stripe),
    ]

    @Test("Ours is what the metric answers, and every rule is explained", arguments: documented)
    func ours(_ metric: String, _ pack: DefinitionPack) async throws {
        let ledger = try await taken()
        let compared = try await report(ledger, metric, pack)
        #expect(!compared.rows.isEmpty)
        var words = MetricsWords()
        (words.from, words.to) = ("2026-01-01", "2026-05-01")
        let ours: [Int64] = try await ledger.session { [words] session in
            let query = MetricsQuery(session.query, reportTimeZone: "UTC", now: ledger.now)
            if metric == "churn" { return try await query.churn(words).rows.map(\.churned) }
            let column = metric == "mrr" ? "annualised" : "active"
            return try await query.metric(try MetricName(metric), words).rows
                .compactMap { $0.amounts[column] ?? 0 }
        }
        #expect(compared.rows.map(\.ours).filter { $0 != 0 } == ours.filter { $0 != 0 })
        for row in compared.rows {
            #expect(row.differences.map(\.rule) == compared.rules)
            #expect(row.ours + row.differences.map(\.amount).reduce(0, +) == row.theirs)
        }
        let json = try TemporaryLedger.json { compared.write(to: &$0) }
        #expect(json["rules"]?.array?.count == compared.rules.count)
        let rows = CommaSeparated.rows(String(decoding: compared.table(.csv), as: UTF8.self))
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        let text = String(decoding: compared.table(.text), as: UTF8.self)
        for rule in compared.rules { #expect(text.contains(rule.theirs)) }
    }

    @Test("What a product does not document is an error that says what is documented")
    func undocumented() async throws {
        let ledger = try TemporaryLedger()
        for metric in DefinitionPack.metrics + ["revenue", "nonsense"] {
            for pack in DefinitionPack.allCases
            where !Self.documented.contains(where: { $0 == (metric, pack) }) {
                let error = await #expect(throws: MetricsError.self) {
                    try await report(ledger, metric, pack)
                }
                #expect(error?.code == "undocumentedDefinition")
                #expect(error?.message.contains("revenuecat: active, churn, mrr") == true)
            }
        }
        let error = await #expect(throws: MetricsError.self) {
            try await report(ledger, "churn", .stripe, by: ["product"])
        }
        #expect(error == .comparedWhole)
    }

    @Test("A week's price is 52 twelfths of a month, 4 or 1 / 0.23, and the rule says how much")
    func weeks() async throws {
        let ledger = try await taken()
        let month = try #require(try await report(ledger, "mrr", .revenuecat).rows.first)
        #expect(month.ours == 9_990 * 12 + 9_990 * 52)
        #expect(month.differences.first?.amount == 9_990 * 48 - 9_990 * 52)
        #expect(month.differences.first?.chainCount == 1)
        let adapty = try #require(try await report(ledger, "mrr", .adapty).rows.first)
        #expect(adapty.differences.first?.amount == 1_737)
    }

    @Test("Trials are not theirs, and who has auto-renew off is not Adapty's")
    func active() async throws {
        let ledger = try await taken()
        let january = try #require(try await report(ledger, "active", .adapty).rows.first)
        #expect(january.ours == 3)
        #expect(january.differences.first?.amount == -1)
        #expect(january.theirs == january.ours - 1 + (january.differences.last?.amount ?? 0))
        let churn = try await report(ledger, "churn", .adapty).rows
        #expect(churn.map(\.theirs).reduce(0, +) == 2)
        #expect(churn.map(\.ours).reduce(0, +) == 3)
    }
}
