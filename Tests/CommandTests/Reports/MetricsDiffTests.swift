import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import TestSupport
import Testing

@testable import subledger

@Suite("Changes by a late event")
struct MetricsDiffTests {
    private static let chain = MadeChain(id: "600000000000001")
    private static let other = MadeChain(id: "600000000000002")
    private let chain = Self.chain
    private let other = Self.other

    /// Two chains, then later events of the first. Positions 1 and 2, and 3 to 5.
    private static let shared = SharedLedger { ledger in
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        _ = try await ledger.ingest([chain.bought(), other.bought()])
        _ = try await ledger.ingest([chain.renewed(1), chain.turnedOff(1), chain.expired(1)])
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func diff(
        _ ledger: TemporaryLedger, _ name: String = "churn", by: [String] = [],
        from before: AsOf, to after: AsOf = .everything,
        interval: String? = nil
    ) async throws -> Report {
        try await ledger.metrics(knowledge: after) {
            try await $0.diff(
                try MetricName(compared: name), .made(by: by, interval: interval), from: before)
        }
    }

    /// The figures of a metric's report other than 0, by interval, group and column.
    private func figures(
        _ query: MetricsQuery, _ name: MetricName
    ) async throws -> [String: Int64] {
        let report = try await query.metric(name, .made())
        var figures: [String: Int64] = [:]
        for row in report.rows {
            for column in report.columns where row[column.name] != 0 {
                figures["\(row.from.rfc3339) \(row.group) \(column.name)"] = row[column.name]
            }
        }
        return figures
    }

    @Test("Equal knowledge has no differences; an unknown metric is an error")
    func nothing() async throws {
        let ledger = try await taken()
        #expect(try await diff(ledger, from: .everything).rows.isEmpty)
        #expect(try await diff(ledger, from: .knownPosition(5)).rows.isEmpty)
        #expect(throws: MetricsError.unknownMetric("profit", also: ["churn"])) {
            try MetricName(compared: "profit")
        }
        await #expect(throws: MetricsError.onlyApp) {
            try await diff(ledger, "lateness", by: ["product"], from: .everything)
        }
        await #expect(throws: MetricsError.reasonElsewhere) {
            try await diff(ledger, "ltv", by: ["reason"], from: .everything)
        }
        for name in ["lateness", "ltv"] {
            #expect(try await diff(ledger, name, from: .everything).rows.isEmpty)
        }
    }

    @Test("The changed cells, their values before and after, and the responsible events")
    func cells() async throws {
        let ledger = try await taken()
        let diff = try await diff(ledger, from: .knownPosition(2))
        let reported = diff.rows.map { cell in
            "\(cell.from.rfc3339.prefix(7)) \(cell.column) \(cell.before) \(cell.after)"
        }
        #expect(
            reported == [
                "2026-02 churned.unconfirmed 2 1", "2026-02 churned.total 2 1",
                "2026-02 activeEnd 0 1", "2026-03 activeStart 0 1",
                "2026-03 churned.voluntary 0 1", "2026-03 churned.total 0 1",
            ])
        // The renewal moved the end from February to March; turning it off stated the reason.
        #expect(diff.rows.map(\.events) == [[3], [3], [3], [3], [4], [3]])
        #expect(diff.rows.allSatisfy { $0.eventsOmitted == 0 })
        #expect(diff.stamp.position == 5)
    }

    @Test("An event is listed only where it changed its chain's contribution to the cell")
    func movers() async throws {
        let ledger = try await taken()
        // Only turning it off, at 4, differs from earlier knowledge.
        let off = try await diff(ledger, from: .knownPosition(3))
        #expect(off.rows.map(\.column) == ["churned.voluntary", "churned.unconfirmed"])
        #expect(off.rows.allSatisfy { $0.events == [4] })
        #expect(try await diff(ledger, from: .knownPosition(4)).rows.isEmpty)
        let renewals = try await diff(ledger, "renewals", from: .knownPosition(2))
        #expect(renewals.rows.map(\.events) == [[3]])
        let autoRenew = try await diff(ledger, "auto-renew", from: .knownPosition(2))
        #expect(!autoRenew.rows.isEmpty)
        // How long before the period's end that was only needs the period.
        #expect(autoRenew.rows.allSatisfy { $0.events == [4] })
    }

    @Test("With more new events than steps, several share a step and are listed together")
    func manySteps() async throws {
        for count in [MetricsLimits.stepCount, MetricsLimits.stepCount + 2] {
            var ledger = try TemporaryLedger()
            ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
            // Remarks without effect, and the renewal last.
            let remarks = (1..<count).map { second in
                chain.notification(
                    .consumptionRequest, nil, 0,
                    at: chain.start.advanced(byMilliseconds: Int64(second) * 60_000))
            }
            _ = try await ledger.ingest([chain.bought()] + remarks + [chain.renewed(1)])
            let cells = try await diff(ledger, "renewals", from: .knownPosition(1)).rows
            let last = Int64(count + 1)
            #expect(
                cells.map(\.events)
                    == [count > MetricsLimits.stepCount ? [last - 1, last] : [last]])
        }
    }

    @Test("Of many events that changed a cell the first are listed, the others counted")
    func manyEvents() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let count = MetricsLimits.eventCount + 2
        // Chains in the opposite order of their events.
        _ = try await ledger.ingest(
            (1...count).map { MadeChain(id: "\(600_000_000_001_000 - $0)").bought() })
        let cells = try await diff(ledger, "starts", from: .knownPosition(0)).rows
        #expect(cells.map(\.after) == cells.map { _ in Int64(count) } && !cells.isEmpty)
        for cell in cells {
            #expect(cell.events == Array(1...Int64(MetricsLimits.eventCount)))
            #expect(cell.eventsOmitted == 2)
        }
    }

    @Test("Remarks on amounts also apply to their differences")
    func remarks() async throws {
        var ledger = try await taken()
        _ = try await ledger.ingest([
            MadeChain(id: "600000000000003").bought().withTransaction {
                ($0.price, $0.currency) = (nil, nil)
            },
            MadeChain(id: "600000000000004").bought().withTransaction { $0.currency = "EUR" },
        ])
        func reported(_ name: String) async throws -> [MetricsRemark] {
            try await diff(ledger, name, from: .knownPosition(2)).stamp.remarks
        }
        #expect(try await reported("revenue") == [.unpriced, .severalCurrencies])
        #expect(try await reported("proceeds") == [.estimate, .unpriced, .severalCurrencies])
        #expect(try await reported("churn").isEmpty)
        ledger.configuration.catalogue = Catalogue()
        #expect(
            try await reported("mrr") == [.inferredPeriods, .unpriced, .severalCurrencies])
    }

    @Test("Amounts are shown in units of their currency, counts as they are")
    func units() async throws {
        let ledger = try await taken()
        let revenue = try await diff(ledger, "revenue", from: .knownPosition(2))
        let column = try #require(revenue.columns.last)
        let shown = revenue.rows.map { "\($0.column) \(revenue.figure($0, column))" }
        #expect(shown == ["transactions 1", "gross 9.99"])
        let lifetime = try await diff(ledger, "ltv", from: .knownPosition(2))
        #expect(lifetime.text().contains("29.97"))
        let recurring = try await diff(ledger, "mrr", from: .knownPosition(2))
        #expect(
            recurring.rows.map { "\($0.column) \(recurring.figure($0, column))" }
                == ["mrr 9.99", "annualised 119.88"])
        #expect(recurring.text().contains("119.88") && !recurring.text().contains("119880"))
        let churn = try await diff(ledger, from: .knownPosition(2))
        #expect(churn.rows.allSatisfy { churn.figure($0, column) == "\($0.after)" })
    }

    @Test(
        "The difference equals that of the two reports in every column, in both directions",
        arguments: [MetricName.churn(isPaid: false)] + MetricName.allCases)
    func reports(_ name: MetricName) async throws {
        let ledger = try await taken()
        // All questions in one session: opening the files takes longer than an answer.
        try await ledger.session { session in
            func query(_ knowledge: AsOf) -> MetricsQuery {
                MetricsQuery(
                    session.snapshot, reportTimeZone: ledger.configuration.reportTimeZone,
                    now: ledger.now, knowledge: knowledge)
            }
            let compared = try MetricName(compared: name.rawValue)
            let late = try await figures(query(.everything), name)
            for position in (0...5 as ClosedRange<Int64>).map(AsOf.knownPosition) {
                let early = try await figures(query(position), name)
                let forth = try await query(.everything).diff(compared, .made(), from: position)
                let back = try await query(position).diff(compared, .made(), from: .everything)
                #expect(forth.rows.map { $0.before } == back.rows.map { $0.after })
                let moved = Set(early.keys).union(late.keys).filter { early[$0] != late[$0] }
                #expect(forth.rows.count == moved.count)
                for cell in forth.rows {
                    let group = Array(cell.group.dropLast())
                    let place = "\(cell.from.rfc3339) \(group) \(cell.column)"
                    #expect(moved.contains(place), "\(place)")
                    #expect(cell.before == (early[place] ?? 0))
                    #expect(cell.after == (late[place] ?? 0))
                }
            }
        }
    }

    @Test("A twelfth that changes only as a sum is listed with the events of its year")
    func twelfth() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        ledger.configuration.catalogue = Catalogue()
        // A year for 5 milliunits: its twelfth is rounded to 0, that of both together to 1.
        let year = [chain, other].map { chain in
            chain.bought().withTransaction {
                $0.price = 5
                $0.expiresDate = chain.start.advanced(byMilliseconds: 365 * 86_400_000)
            }
        }
        _ = try await ledger.ingest(year)
        let cells = try await diff(ledger, "mrr", from: .knownPosition(0)).rows
        let reported = cells.map { "\($0.column) \($0.before) \($0.after) \($0.events)" }
        #expect(reported.count == 8)
        #expect(Set(reported) == ["mrr 0 1 [1, 2]", "annualised 0 10 [1, 2]"])
    }

    @Test("Every metric can be compared, in groups, as JSON and as tables")
    func everyMetric() async throws {
        let ledger = try await taken()
        let names = ["churn"] + MetricName.allCases.map(\.rawValue)
        func dimension(_ name: String) -> String {
            name == MetricName.lateness.rawValue ? "app" : "product"
        }
        let diffs = try await ledger.metrics { query in
            var diffs: [Report] = []
            for name in names {
                diffs.append(
                    try await query.diff(
                        try MetricName(compared: name), .made(by: [dimension(name)]),
                        from: .knownPosition(2)))
            }
            return diffs
        }
        for (name, diff) in zip(names, diffs) {
            let json = try TemporaryLedger.json { diff.write(to: &$0) }
            #expect(json["definition"]?.string == "\(name)/1")
            #expect(json["before"]?["knownPosition"]?.int64 == 2)
            #expect(json["after"]?["knownPosition"]?.isNull == true)
            for cell in json["cells"]?.array ?? [] {
                #expect(cell["group"]?.keys.last == dimension(name))
                #expect(cell["before"] != cell["after"])
            }
            let rows = CommaSeparated.rows(String(decoding: diff.csv(), as: UTF8.self))
            #expect(rows.count == diff.rows.count + 1)
            #expect(rows.allSatisfy { $0.count == rows[0].count })
        }
        let none = try await diff(ledger, from: .everything)
        #expect(none.text().hasSuffix("no cell changed\n"))
    }

    @Test(
        "Newly known deliveries change the delays of the interval in which they were signed")
    func lateness() async throws {
        let cells = try await diff(try await taken(), "lateness", from: .knownPosition(2)).rows
        let counts = cells.filter { $0.column == "notifications" }
        // The renewal and turning it off in February, the end in March.
        #expect(counts.map(\.before) == [0, 0])
        #expect(counts.map(\.after) == [2, 1])
        #expect(counts.map(\.events) == [[3, 4], [5]])
    }

    @Test(
        "A suspected outage changes by its related deliveries, whenever signed"
    )
    func outages() async throws {
        var ledger = try TemporaryLedger()
        // Every half an hour; a silence from the 13th at 14:30 to the 14th at 03:00.
        let start = MadeChain(id: "600000000000000").bought().receivedAt
        func delivery(_ index: Int, _ time: Int64) -> MadeDelivery {
            var delivery = MadeChain(id: "\(600_000_000_000_000 + index)").bought()
            delivery.receivedAt = start.advanced(byMilliseconds: time)
            return delivery.with {
                $0.signedDate = start.advanced(byMilliseconds: time - 1_000)
            }
        }
        let times = (0..<200 as Range<Int64>).map { $0 * 1_800_000 + ($0 >= 150 ? 43_200_000 : 0) }
        _ = try await ledger.ingest(times.enumerated().map { delivery($0, $1) })
        // Known later: deliveries that fill the silence, and one long before it.
        let filling = (0..<24 as Range<Int64>).map { ($0 + 150) * 1_800_000 }
        _ = try await ledger.ingest(
            filling.enumerated().map { delivery(200 + $0, $1) } + [delivery(300, 60_000)])
        ledger.now = start.advanced(byMilliseconds: times[199] + 1_000)
        let cells = try await diff(
            ledger, "lateness", from: .knownPosition(200), interval: "day"
        ).rows.filter { $0.column == "suspectedOutages" }
        #expect(cells.map(\.before) == [1] && cells.map(\.after) == [0])
        #expect(cells.first?.from.rfc3339.hasPrefix("2026-01-13") == true)
        #expect(cells.first?.events == Array(201...224))
    }

    @Test("A customer's payments change their cohort, with the events that added them")
    func lifetime() async throws {
        let ledger = try await taken()
        let cells = try await diff(ledger, "ltv", from: .knownPosition(2)).rows
        #expect(cells.allSatisfy { $0.from.rfc3339.hasPrefix("2026-01") && $0.events == [3] })
        let net = try #require(cells.first { $0.column == "net" })
        #expect(net.before == 2 * 9_990 && net.after == 3 * 9_990)
        // 9,990 × 3 / 2 at an age of 60 days.
        let average = cells.first { $0.column == "age.60.perCustomer" }
        #expect(average?.before == 9_990 && average?.after == 14_985)
        #expect(!cells.contains { $0.column == "age.7.net" || $0.column == "customers" })
    }

    @Test("Merging two customers changes the cohort, and only the event that merges them is listed")
    func sameCustomer() async throws {
        let token = "0d9e7b1c-52c4-4a0f-8a55-6f1f5d1f6f0a"
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        var (one, two) = (chain, other)
        (one.appAccountToken, two.appAccountToken) = (token, nil)
        two.start = one.start.advanced(byMilliseconds: 25 * 86_400_000)
        _ = try await ledger.ingest([one.bought(), two.bought()])
        two.appAccountToken = token
        _ = try await ledger.ingest([two.turnedOff(0)])
        let answer = try await diff(ledger, "ltv", from: .knownPosition(2))
        let cells = answer.rows
        let reported = cells.filter { $0.column == "customers" || $0.column == "net" }.map { cell in
            "\(cell.from.rfc3339.prefix(7)) \(cell.column) \(cell.before) \(cell.after)"
        }
        #expect(
            reported == ["2026-01 net 9990 19980", "2026-02 customers 1 0", "2026-02 net 9990 0"])
        #expect(cells.allSatisfy { $0.events == [3] })
        // Without a customer, February has no average.
        let average = try #require(
            cells.last { $0.column == "age.30.perCustomer" && $0.before == 9_990 })
        #expect(answer.columns.map { answer.cell(average, $0) } == ["9990", ""])
        #expect(answer.columns.map { answer.figure(average, $0) } == ["9.99", "–"])
    }

    @Test("The comparison ends at the earlier knownAt")
    func cut() async throws {
        let ledger = try await taken()
        let early = try #require(Timestamp(userInput: "2026-02-20T00:00:00Z"))
        let late = try #require(Timestamp(userInput: "2026-04-01T00:00:00Z"))
        let diff = try await diff(ledger, from: .knownAt(early), to: .knownAt(late))
        #expect(diff.rows.allSatisfy { $0.to <= early })
    }
}
