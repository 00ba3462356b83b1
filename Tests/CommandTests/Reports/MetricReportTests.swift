import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import TestSupport
import Testing

@testable import subledger

@Suite("Metrics by name")
struct MetricReportTests {
    private static let german: MadeChain = {
        var chain = MadeChain(id: "600000000000002", product: "com.example.other")
        chain.storefront = "DEU"
        return chain
    }()

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(
            MadeChain(id: "600000000000001").life + german.life.map(\.inEuros))
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func report(
        _ ledger: TemporaryLedger, _ name: String, by: [String] = [], where filters: [String] = []
    ) async throws -> Report {
        try await ledger.metrics {
            try await $0.metric(try MetricName(name), .made(by: by, where: filters))
        }
    }

    @Test(
        "An unknown name is an error that lists the known ones", arguments: ["", "MRR", "x"])
    func unknown(_ name: String) {
        let error = #expect(throws: MetricsError.self) { try MetricName(name) }
        #expect(error?.code == "unknownMetric")
        #expect(error?.message.contains("mrr-movement") == true)
    }

    @Test("Only metrics of losses have the dimension reason", arguments: MetricName.allCases)
    func reasons(_ name: MetricName) async throws {
        let ledger = try await taken()
        guard name != .mrrMovement else {
            let rows = try await report(ledger, name.rawValue, by: ["reason"]).rows
            #expect(rows.contains { $0.group.last == "voluntary" })
            return
        }
        try await ledger.metrics { query in
            for words in [
                MetricParameters.made(by: ["reason"]), .made(where: ["reason=voluntary"]),
            ] {
                await #expect(throws: MetricsError.reasonElsewhere) {
                    try await query.metric(name, words)
                }
            }
        }
    }

    @Test(
        "Every metric reports every column in every row, as JSON and as a table",
        arguments: MetricName.allCases)
    func everyMetric(_ name: MetricName) async throws {
        let ledger = try await taken()
        let dimension = name == .lateness ? "app" : "product"
        let report = try await report(ledger, name.rawValue, by: [dimension])
        let json = try TemporaryLedger.json { report.write(to: &$0) }
        #expect(json["definition"]?.string == "\(name.rawValue)/1")
        let columns = (json["columns"]?.array ?? []).compactMap { $0["name"]?.string }
        #expect(columns == report.columns.map(\.name) && !columns.isEmpty)
        for row in json["rows"]?.array ?? [] {
            #expect(row["values"]?.keys == columns)
            #expect(row["group"]?.keys.last == dimension)
        }
        let rows = CommaSeparated.rows(String(decoding: report.csv(), as: UTF8.self))
        #expect(rows.count == report.rows.count + 1)
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        let (narrow, wide) = (Self.table(report, isWide: false), Self.table(report, isWide: true))
        #expect(narrow.first?.hasPrefix("from") == true)
        #expect(narrow.allSatisfy { $0.count <= 120 })
        let isFewer = narrow[0].count < wide[0].count
        #expect(narrow.contains { $0.hasSuffix(" more columns with --wide") } == isFewer)
    }

    /// The lines of a table for people, without the stamp.
    private static func table(_ report: Report, isWide: Bool) -> [Substring] {
        report.text(isWide: isWide)
            .split(separator: "\n").drop { !$0.hasPrefix("from") }.map { $0 }
    }

    @Test("Retention is a triangle of percentages; counts are in the wide table")
    func triangle() async throws {
        let report = try await report(try await taken(), "retention")
        func header(_ isWide: Bool) -> [Substring] {
            Self.table(report, isWide: isWide)[0].replacing("step ", with: "step").split(
                separator: " ")
        }
        #expect(header(false).prefix(3) == ["from", "cohort", "step2"])
        #expect(!header(false).contains("possible"))
        #expect(header(true).prefix(5) == ["from", "cohort", "step2", "step2", "possible"])
    }

    @Test("Currencies are never added up")
    func currencies() async throws {
        let ledger = try await taken()
        let revenue = try await report(ledger, "revenue")
        #expect(
            revenue.rows.map { $0.group } == [["EUR"], ["USD"], ["EUR"], ["USD"]])
        #expect(
            revenue.rows.map { $0.amounts["gross"] } == [5_000, 9_990, 5_000, 9_990])
        let json = try TemporaryLedger.json { revenue.write(to: &$0) }
        let money = json["rows"]?.array?.first?["values"]?["gross"]
        #expect(money?["milliunits"]?.int64 == 5_000 && money?["currency"]?.string == "EUR")
        let mrr = try await report(ledger, "mrr", by: ["currency"])
        #expect(mrr.rows.prefix(2).map { $0.group } == [["EUR"], ["USD"]])
        #expect(mrr.rows.prefix(2).map { $0.amounts["mrr"] } == [5_000, 9_990])
    }

    @Test("Movement of recurring money balances exactly, in annual whole amounts")
    func movement() async throws {
        let ledger = try await taken()
        let rows = try await report(ledger, "mrr-movement", by: ["country"]).rows
        #expect(!rows.isEmpty)
        #expect(rows.allSatisfy { $0.amounts["annualised.residue"] == 0 })
        let january = try #require(rows.first { $0.group.first == "USD" })
        #expect(january.amounts["annualised.new"] == 119_880)
        #expect(january.amounts["new"] == 9_990)
        let arr = try await report(ledger, "arr", where: ["country=USA"]).rows
        #expect(arr.first?.amounts["arr"] == 119_880)
    }

    @Test(
        "Uncertainty has remarks: products outside the catalogue, inferred lengths, estimates")
    func remarks() async throws {
        var ledger = try await taken()
        ledger.configuration.catalogue = Catalogue()
        #expect(
            try await report(ledger, "mrr").stamp.remarks == [.inferredPeriods, .severalCurrencies])
        #expect(
            try await report(ledger, "proceeds").stamp.remarks == [.estimate, .severalCurrencies])
        #expect(
            try await report(ledger, "product-changes").stamp.remarks == [
                .inferredPeriods, .notInCatalogue,
            ])
        #expect(try await report(ledger, "starts").stamp.remarks == [])
        var empty = try TemporaryLedger()
        empty.now = ledger.now
        #expect(try await report(empty, "starts").stamp.remarks == [.emptyLedger])
    }

    @Test("Lateness: delays of deliveries, by date of signature, at the nearest rank")
    func lateness() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let delays: [Int64] = [0, 1_000, 2_000, 600_000, 600_001]
        _ = try await ledger.ingest(
            delays.enumerated().map { index, delay in
                var delivery = MadeChain(id: "60000000000000\(index)").bought()
                let start = delivery.receivedAt.advanced(byMilliseconds: -1_000)
                delivery.receivedAt = start.advanced(byMilliseconds: delay)
                return delivery
            }.sorted { $0.receivedAt < $1.receivedAt })
        let rows = try await report(ledger, "lateness").rows
        #expect(
            rows[0].amounts == [
                "notifications": 5, "late": 1, "p50": 2_000, "p90": 600_001, "p99": 600_001,
                "longest": 600_001, "suspectedOutages": 1,
            ])
        #expect(rows[1].amounts.isEmpty)
        let apps = try await report(ledger, "lateness", by: ["app"]).rows
        #expect(apps.map { $0.group } == [[MadeChain.app]])
        let none = try await report(ledger, "lateness", where: ["app=com.example.none"]).rows
        #expect(none.allSatisfy { $0.amounts.isEmpty })
        await #expect(throws: MetricsError.onlyApp) {
            try await report(ledger, "lateness", by: ["product"])
        }
    }

    @Test("Lifetime: a customer's payments in all chains since the first purchase, by exact days")
    func lifetime() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let token = "7e3fb204-7a31-4d26-9f4e-000000000001"
        let (one, two) = (
            MadeChain(id: "600000000000001", appAccountToken: token),
            MadeChain(
                id: "600000000000002", start: one0.advanced(byMilliseconds: 7 * 86_400_000),
                appAccountToken: token)
        )
        // A chain without a holder is a customer of its own.
        let unknownCustomer = MadeChain(id: "600000000000003")
        _ = try await ledger.ingest(one.life + [two.bought(), unknownCustomer.bought()])
        let answer = try await report(ledger, "ltv")
        let rows = answer.rows
        #expect(rows.map { $0.group } == [["USD"]])
        let amounts = try #require(rows.first?.amounts)
        #expect(amounts["customers"] == 2)
        #expect(amounts["net"] == 39_960)
        // The second chain was bought when seven days were over, to the millisecond.
        #expect(amounts["age.7.customers"] == 2 && amounts["age.7.net"] == 19_980)
        #expect(amounts["age.30.net"] == 29_970)
        #expect(amounts["age.60.net"] == 39_960)
        #expect(amounts["age.60.perCustomer"] == 19_980)
        // 156 days after the purchase no customer is half a year old.
        #expect(amounts["age.180.customers"] == nil)
        // The average of none is no 0.
        var json = JSONWriter()
        answer.write(to: &json)
        let values = try JSONValue.parse(json.bytes)["rows"]?.array?.first?["values"]
        let last = try #require(rows.last)
        for (age, average) in [(60, "19.98"), (180, nil)] as [(Int, String?)] {
            let name = "age.\(age).perCustomer"
            let column = try #require(answer.columns.first { $0.name == name })
            #expect(answer.figure(last, column) == average ?? "–")
            #expect(answer.cell(last, column) == (average == nil ? "" : "19980"))
            #expect((values?[name] == .null) == (average == nil))
        }
        #expect(!answer.table(inUnits: true).joined().contains("–"))
    }

    @Test("Lifetime: a customer of two apps is one of each")
    func lifetimeOfApps() async throws {
        let apps = [MadeChain.app, "com.example.second"]
        var ledger = try TemporaryLedger(apps: apps)
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let token = "7e3fb204-7a31-4d26-9f4e-000000000001"
        let bought = apps.enumerated().map { number, app in
            MadeChain(
                id: "60000000000000\(number)", bundleId: app, appAccountToken: token
            ).bought()
        }
        _ = try await ledger.ingest(bought)
        let rows = try await report(ledger, "ltv").rows
        #expect(rows.map { $0.amounts["customers"] } == [2])
    }

    @Test("Lifetime: a customer whose first known payment is of an adopted chain is in no row")
    func lifetimeAdopted() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let token = "7e3fb204-7a31-4d26-9f4e-000000000001"
        let adopted = MadeChain(id: "600000000000001", appAccountToken: token)
        let later = MadeChain(
            id: "600000000000002", start: adopted.start(2), appAccountToken: token)
        _ = try await ledger.ingest([
            adopted.renewed(1), later.bought(), MadeChain(id: "600000000000003").renewed(1),
        ])
        #expect(try await report(ledger, "ltv").rows.isEmpty)
        // Once the beginning is known, both chains are the customer's.
        _ = try await ledger.ingest([adopted.bought()])
        let rows = try await report(ledger, "ltv").rows
        #expect(rows.map { $0.amounts["customers"] } == [1])
        #expect(rows.map { $0.amounts["net"] } == [29_970])
    }

    @Test("A customer counts in each currency they paid in; with filters the rows are the same")
    func lifetimeCurrencies() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let token = "7e3fb204-7a31-4d26-9f4e-000000000001"
        var second = MadeChain(id: "600000000000002", appAccountToken: token)
        second.start = one0.advanced(byMilliseconds: 86_400_000)
        let euro = second.bought().withTransaction {
            ($0.price, $0.currency) = (5_000, "EUR")
        }
        let unpriced = MadeChain(id: "600000000000003").bought().withTransaction {
            ($0.price, $0.currency) = (nil, nil)
        }
        let first = MadeChain(id: "600000000000001", appAccountToken: token).bought()
        _ = try await ledger.ingest([first, euro, unpriced])
        let all = try await report(ledger, "ltv")
        #expect(all.rows.map { $0.group } == [[nil], ["EUR"], ["USD"]])
        #expect(all.rows.map { $0.amounts["customers"] } == [1, 1, 1])
        #expect(all.rows.map { $0.amounts["net"] } == [0, 5_000, 9_990])
        #expect(all.rows.map { $0.amounts["unpriced"] } == [1, 0, 0])
        #expect(all.stamp.remarks.contains(.unpriced))
        for currency in ["", "EUR", "USD"] {
            let only = try await report(ledger, "ltv", where: ["currency=\(currency)"])
            let value = currency.isEmpty ? nil : currency
            #expect(only.rows == all.rows.filter { $0.group == [value] })
        }
        #expect(try await report(ledger, "ltv", where: ["product=none"]).rows.isEmpty)
    }

    private static let unpriced = SharedLedger { ledger in
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let chain = MadeChain(id: "600000000000001")
        let refund = chain.notification(
            .refund, nil, 1, at: chain.start(1).advanced(byMilliseconds: 86_400_000))
        let deliveries = [
            chain.bought(), chain.renewed(1),
            refund.withTransaction {
                $0.revocationDate = chain.start(1).advanced(byMilliseconds: 86_400_000)
            },
        ]
        _ = try await ledger.ingest(
            deliveries.map { $0.withTransaction { ($0.price, $0.currency) = (nil, nil) } })
    }

    @Test(
        "Missing amounts have a remark in every metric of money",
        arguments: MetricName.allCases)
    func unpriced(_ name: MetricName) async throws {
        let isMoney: Bool =
            switch name {
            case .counted(let metric): metric.isMoney || metric == .renewals
            case .churn, .lateness: false
            case .mrr, .mrrMovement, .arr, .ltv: true
            }
        let answer = try await report(try await Self.unpriced.copy(), name.rawValue)
        #expect(answer.stamp.remarks.contains(.unpriced) == isMoney, "\(name.rawValue)")
    }

    @Test(
        "A value that no period can have is an error that lists the valid ones",
        arguments: [
            ("phase=Trial", "trial, intro, offer, standard"), ("phase=", "standard"),
            ("ownership=PURCHASED", "purchased, familyShared, assigned"),
            ("ownership=", "assigned"),
            ("reason=refunded", "voluntary, billing"),
        ])
    func closed(_ filter: String, _ listed: String) async throws {
        let ledger = try await taken()
        try await ledger.metrics { query in
            for name in [MetricName.counted(.starts), .mrrMovement, .ltv] {
                let error = await #expect(throws: MetricsError.self) {
                    try await query.metric(name, .made(where: [filter]))
                }
                #expect(error?.code == "unknownFilterValue")
                #expect(error?.message.contains(listed) == true)
            }
        }
    }

    @Test(
        "A value that never occurred has a remark, one that occurred earlier has none",
        arguments: MetricName.allCases)
    func nothingMatches(_ name: MetricName) async throws {
        let ledger = try await taken()
        // Nothing was refunded, reactivated or changed: such a report is empty anyway.
        let isEmpty: Bool =
            switch name {
            case .counted(let metric):
                [.trials, .reactivations, .recoveries, .productChanges, .refunds].contains(metric)
            default: false
            }
        let filters =
            name == .lateness
            ? ["app=\(MadeChain.app)", "app=com.example.none"]
            : ["product=com.example.other", "product=com.example.othr"]
        try await ledger.metrics { query in
            for (chosen, isRemarked) in [
                ([filters[0]], isEmpty), ([filters[1]], true), (filters, true),
            ] {
                let remarks = try await query.metric(name, .made(where: chosen)).stamp.remarks
                #expect(remarks.contains(.nothingMatches) == isRemarked, "\(chosen)")
            }
        }
    }

    @Test(
        "By group, products outside the catalogue have a remark: a group may have two rows",
        arguments: ["starts", "mrr", "ltv"])
    func groups(_ name: String) async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let chains = ["com.example.pro.monthly", "com.example.other"].enumerated().map {
            index, product in
            MadeChain(id: "60000000000000\(index)", product: product).bought().withTransaction {
                $0.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("2100")
            }
        }
        _ = try await ledger.ingest(chains)
        ledger.configuration.catalogue = Catalogue(products: [
            ProductId("com.example.pro.monthly"): Catalogue.Product(group: "pro")
        ])
        let apart = try await report(ledger, name, by: ["group"])
        let groups = Set(apart.rows.compactMap { $0.group.last ?? nil })
        #expect(groups == ["pro", "2100"])
        #expect(apart.stamp.remarks.contains(.groupsApart))
        #expect(
            try await report(ledger, name, where: ["group=pro"]).stamp.remarks
                .contains(.groupsApart))
        #expect(try await !report(ledger, name).stamp.remarks.contains(.groupsApart))
        // Without group names, all groups appear under Apple's numbers.
        ledger.configuration.catalogue = Catalogue()
        #expect(
            try await !report(ledger, name, by: ["group"]).stamp.remarks.contains(.groupsApart))
    }

    private let one0 = MadeChain().start
}
