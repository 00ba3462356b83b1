import AppStore
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import Reports
internal import SQLiteStore

extension BenchLedger {
    /// Number of measurements per report.
    static let reportCount = 5
    /// Whether the projector keeps sums, per turn. The order balances cold reads and a slowing
    /// machine between both.
    static let sumsAreKept = [false, true, true, false, false, true, true, false]

    /// Monthly churn by product over the whole ledger: in the report zone, in another zone, and
    /// with recent and old knowledge, against a bare scan of the facts; and the projector's cost of
    /// keeping the sums.
    ///
    /// - Parameter python: runs DuckDB on the same report, from exported transitions.
    public func metrics(python: String) async throws -> [BenchRow] {
        defer { remove() }
        let count = try await prepare()
        var rows = try await reports(count, python)
        rows.append(try await sumsCost(count))
        return rows
    }

    private func reports(_ count: Int64, _ python: String) async throws -> [BenchRow] {
        let session = try await LedgerSession.open(try await open())
        let bare = BenchRow.Limit(
            "bare scan of the facts", try await BenchLedger.scan(session.ledger.facts))
        let state = try await session.projections.movements(MovementPlan())
        // Some time after the newest fact, within a day.
        guard let newest = state?.newestSignedAt else { throw BenchProblem.refused }
        let now = newest.advanced(byMilliseconds: 3 * 3_600_000 + 1)
        var parameters = MetricParameters()
        (parameters.from, parameters.by) = ("2015-01-01", ["product"])
        var elsewhere = parameters
        elsewhere.timeZone = "America/New_York"
        let queries: [(String, MetricParameters, AsOf, MovementSource)] = [
            ("reportZone", parameters, .everything, .sums),
            ("otherZone", elsewhere, .everything, .contributions),
            ("knownRecently", parameters, .knownPosition(count - count / 100), .contributions),
            ("knownHalfway", parameters, .knownPosition(count / 2), .contributions),
        ]
        var rows: [BenchRow] = []
        for (name, parameters, knowledge, source) in queries {
            var seconds: [Double] = []
            let query = MetricsQuery(
                session.snapshot, reportTimeZone: configuration.reportTimeZone,
                now: now, knowledge: knowledge)
            for _ in 0..<(source == .sums ? BenchLedger.reportCount : 1) {
                seconds.append(
                    try await BenchLedger.seconds {
                        let report = try await query.churn(parameters)
                        guard report.source == source, !report.rows.isEmpty else {
                            throw BenchProblem.refused
                        }
                    })
            }
            rows.append(
                .milliseconds(
                    "metrics.\(name)", BenchLedger.median(seconds), against: bare, events: count))
        }
        let own = MetricsQuery(
            session.snapshot, reportTimeZone: configuration.reportTimeZone, now: now)
        rows += try await duckDB(
            python, session, try await own.churn(parameters), now, beside: rows[0], count)
        rows += try await foldedReports(own, bare, count)
        await session.close()
        return rows
    }

    /// Reports without stored sums, for which every chain is folded: comparisons with other
    /// definitions, and differences by the last hundredth of the log.
    private func foldedReports(
        _ query: MetricsQuery, _ bare: BenchRow.Limit, _ count: Int64
    ) async throws -> [BenchRow] {
        var parameters = MetricParameters()
        parameters.from = "2015-01-01"
        let months = parameters
        func row(_ name: String, _ body: () async throws -> Void) async throws -> BenchRow {
            .milliseconds(
                name, try await BenchLedger.seconds(body), against: bare, events: count)
        }
        return [
            try await row("metrics.definitions") {
                let report = try await query.comparison(MetricName.churnName, months, .revenuecat)
                guard !report.rows.isEmpty else { throw BenchProblem.refused }
            },
            try await row("metrics.diff") {
                // The last hundredth of a short log may change nothing.
                _ = try await query.diff(
                    .churn(isPaid: false), months, from: .knownPosition(count - count / 100))
            },
        ]
    }

    /// The share of the projector's processor time spent on keeping the sums. Processor time,
    /// unlike elapsed time, is hardly affected by other load on the machine.
    private func sumsCost(_ count: Int64) async throws -> BenchRow {
        let ledger = try await open()
        let late = lateEvents(count)
        let turns = BenchLedger.sumsAreKept
        let turn = (late.count + turns.count - 1) / turns.count
        var spent: [Bool: Double] = [:]
        for (number, keepsSums) in turns.enumerated() {
            let events = late.dropFirst(number * turn).prefix(turn)
            try await append(Array(events), to: ledger)
            let projector = try await projector(ledger, keepingSums: keepsSums)
            let started = ProcessorTime.seconds
            _ = try await projector.catchUp()
            spent[keepsSums, default: 0] +=
                (ProcessorTime.seconds - started) / Double(max(events.count, 1))
        }
        await ledger.close()
        let (with, without) = (spent[true] ?? 0, spent[false] ?? 0)
        return BenchRow(
            "metrics.projecting", with > 0 ? (with - without) / with * 100 : 0,
            "% of the projector's processor time", against: .init("aim", 30), events: count)
    }
}
