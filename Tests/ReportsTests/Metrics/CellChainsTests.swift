import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import SQLiteStore
import Simulator
import TestSupport
import Testing

@testable import Projection
@testable import Reports

@Suite("The chains behind one cell of a report")
struct CellChainsTests {
    private static let now = SubscriberWorld.defaultHorizon
    private static let from = "2025-01-01"

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(try MetricsWorld.lines(1...48, seed: 3))
    }

    private func withQuery(_ body: (MetricsQuery) async throws -> Void) async throws {
        let ledger = try await CellChainsTests.shared.copy()
        try await ledger.metrics(now: CellChainsTests.now, body)
    }

    private func cell(
        _ query: MetricsQuery, _ name: MetricName, _ column: String,
        _ change: (inout CellParameters) -> Void = { _ in }
    ) async throws -> CellChains {
        var parameters = CellParameters(column: column)
        parameters.from = "2025-01-01"
        change(&parameters)
        return try await query.cell(name, parameters, limit: 10)
    }

    // MARK: Events of a differing cell

    @Test("The first events and the number of the others do not depend on the order of adding")
    func events() {
        let limit = MetricsLimits.eventCount
        let positions = Array(1...Int64(3 * limit))
        let parts = [2, 0, 1].map { rest in
            CellEvents(positions.reversed().filter { $0 % 3 == rest })
        }
        var sum = parts[0]
        for part in parts.dropFirst() { sum.add(part) }
        #expect(sum == CellEvents(positions))
        #expect(sum.positions == Array(positions.prefix(limit)))
        #expect(sum.omittedCount == 2 * limit)
    }

    @Test("An event of two chains is listed once, and counted for each where it is not listed")
    func sharedEvents() {
        let positions = Array(1...Int64(MetricsLimits.eventCount))
        var sum = CellEvents(positions)
        sum.add(CellEvents(positions))
        #expect(sum.positions == positions && sum.omittedCount == 0)
        // An earlier one takes the place of the last.
        sum.add(0)
        #expect(sum.positions == [0] + positions.dropLast())
        #expect(sum.omittedCount == 2)
    }

    // MARK: Refused

    @Test("A cell that no report has is refused with its code")
    func refused() async throws {
        typealias Change = (inout CellParameters) -> Void
        let (none, churn): (Change, MetricName) = ({ _ in }, .churn(isPaid: false))
        let cases: [(code: String?, name: MetricName, column: String, change: Change)] = [
            ("unknownColumn", churn, "", none), ("unknownColumn", churn, "residue", none),
            ("unknownColumn", churn, "converted", none),
            (nil, .churn(isPaid: true), "converted", none),
            ("unknownColumn", churn, "gross", none),
            ("unknownColumn", .mrrMovement, "annualised.residue", none),
            ("invalidFilter", .ltv, "net", none),
            ("unknownColumn", .ltv, "age.30.perCustomer", none),
            ("unknownColumn", .lateness, "p50", none),
            ("unknownColumn", .lateness, "longest", none),
            ("unknownColumn", .lateness, "suspectedOutages", none),
            ("unknownColumn", .lateness, "count", none),
            ("unknownDimension", .lateness, "late", { $0.group = ["product="] }),
            ("invalidFilter", churn, "new", { $0.group = ["product"] }),
            ("unknownDimension", churn, "new", { $0.group = ["colour=red"] }),
            ("duplicateDimension", churn, "new", { $0.group = ["app=a", "app=b"] }),
            ("unknownFilterValue", churn, "new", { $0.group = ["phase=Trial"] }),
            ("invalidTime", churn, "new", { $0.from = nil }),
            ("invalidRange", churn, "new", { $0.to = "2024-01-01" }),
            ("invalidFilter", .mrr, "mrr", none),
            (nil, .mrr, "mrr", { $0.group = ["currency=USD"] }),
            (
                "unknownDimension", .counted(.renewals), "renewals",
                { $0.group = ["reason=billing"] }
            ),
            (
                "invalidFilter", churn, "churned.total",
                { $0.filters = ["reason=billing", "reason=other"] }
            ),
            (nil, churn, "churned.total", { $0.filters = ["reason=billing"] }),
        ]
        try await withQuery { query in
            for (index, asked) in cases.enumerated() {
                var code: String?
                do {
                    _ = try await cell(query, asked.name, asked.column, asked.change)
                } catch { code = (error as? MetricsError)?.code }
                #expect(code == asked.code, "\(index): \(asked.name) \(asked.column)")
            }
        }
    }

    @Test("Without an end a cell is one interval, however many would follow until now")
    func oneInterval() async throws {
        try await withQuery { query in
            let found = try await cell(query, .churn(isPaid: false), "new") {
                ($0.from, $0.interval) = ("2009-03-01", "hour")
            }
            #expect(found.from.rfc3339 == "2009-03-01T00:00:00.000Z")
            #expect(found.to.rfc3339 == "2009-03-01T01:00:00.000Z")
            let month = try await cell(query, .churn(isPaid: false), "new") { $0.to = nil }
            #expect(month.to.rfc3339 == "2025-02-01T00:00:00.000Z")
        }
    }

    // MARK: Sums

    /// Compares the figures of a report with the chains behind them; returns how many are not 0.
    /// Every cell folds all chains: outside soak the first figure and one in 17 after it are
    /// compared, of each column and of all that differ only in a number.
    private func compare(
        _ query: MetricsQuery, _ name: MetricName, by: [Dimension], interval: String
    ) async throws -> Int {
        var words = MetricParameters()
        (words.from, words.interval, words.by) = (
            CellChainsTests.from, interval, by.map(\.rawValue)
        )
        let report = try await query.metric(name, words)
        let isMoney = name.isMoney
        var count = 0
        // By column without digits, those that are 0 apart.
        var seen: [String: Int] = [:]
        let columns = report.columnsOfChains.sorted()
        #expect(!columns.isEmpty)
        for row in report.rows {
            for column in columns {
                // A twelfth of a year is rounded once, for the whole cell.
                let isMonthly =
                    name == .mrrMovement && !column.hasPrefix("annualised.") && column != "unpriced"
                let figure =
                    column == "mrr" ? "annualised" : isMonthly ? "annualised.\(column)" : column
                var parameters = CellParameters(column: column)
                (parameters.from, parameters.to) = (row.from.rfc3339, row.to.rfc3339)
                let named =
                    (isMoney ? [Dimension.currency] : [])
                    + by.filter {
                        !isMoney || $0 != .currency
                    }
                parameters.group = zip(named, row.group).map { "\($0.rawValue)=\($1 ?? "")" }
                let expected = row[figure]
                // Empty cells are compared in a few rows.
                guard expected != 0 || row.from == report.rows.first?.from else { continue }
                if expected != 0 { count += 1 }
                let kind = "\(column.filter { !$0.isNumber }) \(expected == 0)"
                let number = seen[kind] ?? 0
                seen[kind] = number + 1
                guard Soak.isOn || number.isMultiple(of: 43) else { continue }
                let cell = try await query.cell(name, parameters, limit: .max)
                #expect(cell.amount == expected, "\(name) \(column) \(row)")
                #expect(cell.chains.reduce(0) { $0 + $1.amount } == expected)
                #expect(cell.chainCount == cell.chains.count && cell.next == nil)
                #expect(cell.chains.allSatisfy { $0.amount != 0 && !$0.events.isEmpty })
                #expect(cell.from == row.from && cell.to == row.to)
            }
        }
        return count
    }

    @Test("Every column of churn is the sum of its chains, whole and by any group")
    func churn() async throws {
        try await withQuery { query in
            for isPaid in [false, true] {
                for by in [[], [Dimension.product], [.country, .reason]] {
                    let count = try await compare(
                        query, .churn(isPaid: isPaid), by: by, interval: "quarter")
                    #expect(count > 10, "\(by)")
                }
            }
        }
    }

    @Test("Every column of every metric that sums chains is the sum of its chains")
    func metrics() async throws {
        try await withQuery { query in
            for (number, name) in MetricName.allCases.enumerated() {
                let by: Dimension = name == .lateness ? .app : .product
                let count = try await compare(query, name, by: [by], interval: "quarter")
                #expect(count > 0, "\(name)")
                guard Soak.isOn || number.isMultiple(of: 3) else { continue }
                _ = try await compare(query, name, by: [], interval: "quarter")
            }
        }
    }

    @Test("Asked again later with its moment as knownAt, a report has the same figures")
    func askedAgain() async throws {
        let ledger = try await CellChainsTests.shared.copy()
        let now = CellChainsTests.now.advanced(byMilliseconds: 30 * 86_400_000)
        func report(after days: Int64, _ knowledge: AsOf) async throws -> (Report, [String]) {
            let now = now.advanced(byMilliseconds: days * 86_400_000)
            return try await ledger.metrics(knowledge: knowledge, now: now) { query in
                var words = MetricParameters()
                (words.from, words.to, words.interval) = ("2022-01-01", "2025-12-01", "quarter")
                let report = try await query.metric(.counted(.retention), words)
                return (report, report.rows.map { "\($0.from) \($0.amounts.sorted { $0 < $1 })" })
            }
        }
        let (first, figures) = try await report(after: 0, .everything)
        #expect(first.stamp.at == now && first.stamp.knownAt == nil && figures.count > 5)
        let (again, same) = try await report(after: 200, .knownAt(first.stamp.at))
        #expect(again.stamp.at == now && same == figures)
        let (late, other) = try await report(after: 200, .everything)
        #expect(late.stamp.at > now && other != figures)
    }

    @Test("Lines of recurring money are of a year; the first also has the report's twelfth")
    func recurring() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([MadeChain().bought()])
        let year = "119.88 a year"
        try await ledger.metrics(now: CellChainsTests.now) { query in
            for (name, column, figure, added) in [
                (.mrr, "mrr", "9.99 (\(year))", year), (.mrr, "annualised", year, year),
                (.arr, "arr", year, year), (.mrrMovement, "new", "9.99 (\(year))", year),
                (.mrrMovement, "annualised.new", year, year),
                (.counted(.revenue), "gross", "9.99", "9.99"),
            ] as [(MetricName, String, String, String)] {
                let lines = try await cell(query, name, column) {
                    ($0.from, $0.group) = ("2026-01-01", ["currency=USD"])
                }.lines()
                #expect(lines.count == 2, "\(column)")
                #expect(lines[0].hasSuffix(": \(figure) from 1 chain"), "\(lines[0])")
                #expect(lines[1].contains(": \(added), because of event 1"), "\(lines[1])")
            }
        }
    }

    @Test("The deciding events of churn are those that prove the end of access")
    func events() async throws {
        try await withQuery { query in
            var parameters = CellParameters(column: "churned.total")
            (parameters.from, parameters.to) = (CellChainsTests.from, CellChainsTests.now.rfc3339)
            let cell = try await query.cell(.churn(isPaid: false), parameters, limit: .max)
            #expect(!cell.chains.isEmpty)
            for found in cell.chains {
                let facts = try await query.snapshot.facts.facts(of: [found.chain]).flatMap(\.1)
                let positions = Set(facts.map(\.position))
                #expect(Set(found.events).isSubset(of: positions))
                #expect(found.events == found.events.sorted())
                let life = Lifecycle(
                    facts, environment: .production, catalogue: query.snapshot.ledger.catalogue)
                let ends = life.timeline.compactMap { entry -> Int64? in
                    guard case .state(let transition) = entry.kind, !transition.to.isEntitled
                    else { return nil }
                    return entry.cause
                }
                #expect(Set(found.events).isSubset(of: ends))
            }
        }
    }

    @Test("Pages of any size hold every chain once, in order, with the same sum")
    func pages() async throws {
        try await withQuery { query in
            var parameters = CellParameters(column: "new")
            (parameters.from, parameters.to) = (CellChainsTests.from, CellChainsTests.now.rfc3339)
            let whole = try await query.cell(.churn(isPaid: false), parameters, limit: .max)
            #expect(whole.chains.count > 5)
            #expect(whole.chains.map(\.chain) == whole.chains.map(\.chain).sorted())
            for limit in [1, 3, whole.chains.count, whole.chains.count + 1] {
                var (seen, after): ([CellChain], ChainId?) = ([], nil)
                repeat {
                    let page = try await query.cell(
                        .churn(isPaid: false), parameters, after: after, limit: limit)
                    #expect(page.amount == whole.amount && page.chainCount == whole.chainCount)
                    #expect(page.chains.count <= limit)
                    seen += page.chains
                    after = page.next
                } while after != nil && seen.count <= whole.chains.count
                #expect(seen == whole.chains)
            }
        }
    }
}
