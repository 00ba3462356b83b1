import AppStore
import Foundation
import GRDB
import Intake
import Ledger
import LedgerTestSupport
import Projection
import Queries
import Reports
import SQLiteStore
import Testing

/// The SQL views against the answers of the commands.
@Suite("Daily views of metrics")
struct MetricViewTests {
    private func words(_ interval: String, by: [String] = []) -> MetricParameters {
        var words = MetricParameters()
        (words.from, words.to) = ("2022-03-01", "2024-06-01")
        (words.interval, words.by) = (interval, by)
        return words
    }

    /// Signed once for all zones.
    private static let lines: Result<[[UInt8]], any Error> = Result {
        try MetricsWorld.lines(100...130, seed: 9)
    }

    private static func ledger(_ zone: String) -> SharedLedger {
        SharedLedger { ledger in
            ledger.configuration.reportTimeZone = zone
            let lines = try lines.get()
            let middle = lines.count / 2
            _ = try await ledger.ingest(Array(lines[..<middle]))
            _ = try await ledger.ingest(Array(lines[middle...]))
        }
    }

    private static let utc = ledger("UTC")

    private func taken(_ zone: String) async throws -> TemporaryLedger {
        let shared = zone == "UTC" ? MetricViewTests.utc : MetricViewTests.ledger(zone)
        return try await shared.copy()
    }

    /// The figures of a view by `day` and one more column, without zeros.
    private func view(_ path: String, _ sql: String) throws -> [String: Int64] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        let rows = try queue.read { try Row.fetchAll($0, sql: sql) }
        var figures: [String: Int64] = [:]
        for row in rows {
            let (day, name): (String, String?) = (row[0], row[1])
            let value: Int64 = row[2]
            if value != 0 { figures["\(day) \(name ?? "–")"] = value }
        }
        return figures
    }

    private func local(_ time: Timestamp, _ zone: String) throws -> String {
        let zone = try #require(ReportZone(zone))
        let day = zone.day(of: time).daysSinceEpoch
        return String(
            Timestamp(milliseconds: day * 86_400_000).rfc3339.prefix(10))
    }

    @Test(
        "Churn by day and product, all and paid, and by month and reason",
        arguments: ["UTC", "America/St_Johns"])
    func churn(_ zone: String) async throws {
        try await taken(zone).session { session in
            for (isPaid, column) in [(false, "chains"), (true, "paid_chains")] {
                let report = try await MetricsQuery(
                    session.snapshot, reportTimeZone: zone, now: TemporaryLedger.end
                ).churn(words("day", by: ["product"]), isPaid: isPaid)
                var expected: [String: Int64] = [:]
                for row in report.rows where row.churned > 0 {
                    expected["\(try local(row.from, zone)) \(row.group[0] ?? "–")"] = row.churned
                }
                let found = try view(
                    session.projections.path,
                    """
                    SELECT day, product_id, sum(\(column)) FROM daily_churn
                    WHERE day >= '2022-03-01' AND day < '2024-06-01' GROUP BY 1, 2
                    """)
                #expect(found == expected && !expected.isEmpty)
            }
            try await reasons(session, zone)
        }
    }

    private func reasons(_ session: LedgerSession, _ zone: String) async throws {
        let report = try await MetricsQuery(
            session.snapshot, reportTimeZone: zone, now: TemporaryLedger.end
        ).churn(words("month"))
        var expected: [String: Int64] = [:]
        for row in report.rows {
            let month = try local(row.from, zone).prefix(7)
            for reason in EndReason.allCases where row[.churned(reason)] > 0 {
                expected["\(month) \(reason.rawValue)"] = row[.churned(reason)]
            }
        }
        let found = try view(
            session.projections.path,
            """
            SELECT substr(day, 1, 7), reason, sum(chains) FROM daily_churn
            WHERE day >= '2022-03-01' AND day < '2024-06-01' GROUP BY 1, 2
            """)
        #expect(found == expected && !expected.isEmpty)
    }

    @Test("The roll-forward of days, by all dimensions")
    func rollForward() async throws {
        try await taken("UTC").session { session in
            let dimensions = [
                "product", "group", "country", "currency", "offerType", "offerIdentifier",
                "offerDiscountType", "phase", "ownership", "app",
            ]
            let report = try await MetricsQuery(
                session.snapshot, reportTimeZone: "UTC", now: TemporaryLedger.end
            ).churn(words("day", by: dimensions))
            let columns: [(String, (Report.Row) -> Int64)] = [
                ("new", { $0[.gained(.new)] }), ("appeared", { $0[.gained(.appeared)] }),
                ("reactivated", { $0[.gained(.reactivated)] }),
                ("recovered", { $0[.gained(.recovered)] }),
                ("reinstated", { $0[.gained(.reinstated)] }),
                ("moved_in", { $0[.movedIn] }), ("moved_out", { $0[.movedOut] }),
                ("churned", { $0.churned }), ("net", { $0.activeEnd - $0.activeStart }),
            ]
            var seen = 0
            for (column, amount) in columns {
                var expected: [String: Int64] = [:]
                for row in report.rows where amount(row) != 0 {
                    let group = row.group.map { $0 ?? "" }.joined(separator: "|")
                    expected["\(row.from.rfc3339.prefix(10)) \(group)"] = amount(row)
                }
                let found = try view(
                    session.projections.path,
                    """
                    SELECT day, coalesce(product_id, '') || '|' || coalesce(subscription_group, '')
                        || '|' || coalesce(storefront, '') || '|' || coalesce(currency, '') || '|'
                        || coalesce(offer_type, '') || '|' || coalesce(offer_identifier, '') || '|'
                        || coalesce(offer_discount_type, '') || '|' || phase || '|' || ownership
                        || '|' || app, \(column)
                    FROM daily_rollforward WHERE day >= '2022-03-01' AND day < '2024-06-01'
                    """)
                #expect(found == expected, "\(column)")
                seen += expected.count
            }
            #expect(seen > 50)
        }
    }

    @Test("MRR of a day is a twelfth of the sum of all changes up to it")
    func mrr() async throws {
        try await taken("UTC").session { session in
            let report = try await MetricsQuery(
                session.snapshot, reportTimeZone: "UTC", now: TemporaryLedger.end
            ).metric(.mrr, words("day"))
            var expected: [String: Int64] = [:]
            var unpriced: [String: Int64] = [:]
            for row in report.rows {
                let key = "\(row.from.rfc3339.prefix(10)) \(row.group[0] ?? "–")"
                if let amount = row.amounts["annualised"], amount != 0 { expected[key] = amount }
                if let count = row.amounts["unpriced"], count != 0 { unpriced[key] = count }
            }
            for (column, expected) in [
                ("annualised_change", expected), ("unpriced_change", unpriced),
            ] {
                let found = try view(
                    session.projections.path,
                    """
                    WITH RECURSIVE days (day) AS (SELECT '2022-03-01' UNION ALL
                        SELECT date(day, '+1 day') FROM days WHERE day < '2024-05-31')
                    SELECT days.day, m.currency, sum(m.\(column)) FROM days
                    JOIN daily_mrr AS m ON m.day <= days.day GROUP BY 1, 2
                    """)
                #expect(found == expected)
            }
            #expect(!expected.isEmpty)
        }
    }
}
