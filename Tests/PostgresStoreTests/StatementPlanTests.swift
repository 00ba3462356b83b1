import Foundation
import PostgresSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Plans of statements", .postgres)
struct StatementPlanTests {
    /// Every index of a schema that a statement looks something up in.
    private static let indexes: Set<String> = [
        "areas_pkey", "backfill_runs_pkey", "backfill_troubles_pkey", "checkpoints_pkey",
        "clock_readings_chain", "clock_readings_pkey", "erasure_count_pkey", "events_decisions",
        "events_erasures", "events_identity", "events_key", "events_pkey", "events_sweeps",
        "events_version_one", "evidence_pkey", "feed_clock_pkey", "head_pkey",
        "headers_hash_key", "headers_pkey", "history_places_pkey", "leases_pkey",
        "lookups_pkey", "nodes_pkey", "quarantine_bundle", "quarantine_digest_key",
        "quarantine_pkey", "quarantine_standing", "quarantine_totals_pkey", "recoveries_pkey",
        "recovery_reports_pkey", "recovery_slices_pkey", "recovery_undelivered_pkey",
        "retention_answers_at", "retention_answers_chain", "retention_answers_pkey",
        "retention_answers_request_key", "upload_keys_pkey", "upload_keys_taken_at",
        "webhook_endpoints_pkey", "webhook_waiting_pkey",
    ]
    /// Read when a log is opened, by statements that name no row.
    private static let others: Set<String> = ["ledger_pkey", "migrations_pkey"]

    /// Small tables, and one that is read as a whole (`lookups`).
    private static let walked: Set<String> = [
        "backfill_runs", "feed_clock", "lookups", "nodes", "recoveries", "recovery_reports",
    ]

    @Test("Every statement uses its index on an empty, unanalysed log, and no index is without one")
    func plans() async throws {
        let asked = try Database()
        try await asked.askEverything()
        let empty = try Database()
        try await empty.open().close()
        let session = try empty.session()
        try session.run(script: "SET plan_cache_mode = force_generic_plan")
        let known = PostgresConnection.known.withLock { $0[asked.schema] ?? [] }
        var all = statements(of: Statement.log) + statements(of: Statement.audit)
        all += known.filter { $0.contains("@") }
        all = all.map { $0.replacing("@", with: "\"\(empty.schema)\".") }
        var used: Set<String> = []
        for (number, sql) in all.enumerated() {
            let plan = try plan(of: sql, named: "explained\(number)", session)
            // An erasure names a position or an id; uploads and troubles of a backfill are few.
            var walked = plan.walked.subtracting(StatementPlanTests.walked)
            if sql.contains("WHERE event_position = ") { walked.remove("upload_keys") }
            if sql.hasSuffix("WHERE id = $1::bytea") { walked.remove("backfill_troubles") }
            #expect(walked.isEmpty && !plan.isParallel, "\(sql): \(walked)")
            used.formUnion(plan.indexes)
        }
        #expect(StatementPlanTests.indexes.subtracting(used).isEmpty)
        let found = try session.run(
            Statement(
                "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(empty.schema)'"
            ).with())
        #expect(
            Set(found.rows.compactMap { $0.text(0) })
                == StatementPlanTests.indexes.union(StatementPlanTests.others))
    }

    @Test("Every call that has statements for all engines is asked")
    func calls() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Fixtures.repository.appending(path: path), encoding: .utf8)
        }
        let asked = try text("Tests/PostgresStoreTests/Support/Database+statements.swift")
        let store = "Sources/LedgerStore"
        let operations = "\(store)/Operations/SQL"
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Fixtures.repository.appending(path: operations).path)
        var names: [String] = []
        for path in files.map({ "\(operations)/\($0)" }) + ["\(store)/Log/LedgerLog+queries.swift"]
        {
            let calls = try text(path).components(separatedBy: "extension SQLTables")[0]
            let functions = calls.split(separator: "public func ").dropFirst()
            names += functions.map { String($0.prefix { $0 != "(" }) }
        }
        #expect(names.count > 40)
        for name in names { #expect(asked.contains(".\(name)("), "\(name)") }
    }

    /// The statements that are properties of a value.
    private func statements(of value: Any) -> [String] {
        Mirror(reflecting: value).children.flatMap { child in
            (child.value as? Statement).map { [$0.sql] } ?? statements(of: child.value)
        }
    }

    private func plan(
        of sql: String, named name: String, _ session: PostgresConnection
    ) throws -> StatementPlan {
        try session.run(script: "PREPARE \(name) AS \(sql)")
        let count = (1...20).last { sql.contains("$\($0)") } ?? 0
        let values = [String](repeating: "NULL", count: count).joined(separator: ", ")
        let execute = "EXECUTE \(name)" + (count == 0 ? "" : " (\(values))")
        let lines = try session.run(Statement("EXPLAIN (COSTS OFF) \(execute)").with())
        return StatementPlan(lines.rows.compactMap { $0.text(0) })
    }
}

/// What a statement reads, by its plan.
private struct StatementPlan {
    /// Indexes in which something is looked up, and those by which a conflict is recognised.
    private(set) var indexes: Set<String> = []
    /// Tables that are read as a whole. The server's own are left out.
    private(set) var walked: Set<String> = []
    private(set) var isParallel = false

    init(_ lines: [String]) {
        for (line, next) in zip(lines, lines.dropFirst() + [""]) {
            if let table = word(after: "Seq Scan on ", in: line), !table.hasPrefix("pg_") {
                walked.insert(table)
            }
            let index =
                word(after: "Scan using ", in: line)
                ?? word(after: "Scan Backward using ", in: line)
                ?? word(after: "Bitmap Index Scan on ", in: line)
            if let index, next.contains("Index Cond: ") { indexes.insert(index) }
            if let index = word(after: "Conflict Arbiter Indexes: ", in: line) {
                indexes.insert(index)
            }
            if line.contains("Gather") { isParallel = true }
        }
    }

    private func word(after text: String, in line: String) -> String? {
        line.firstRange(of: text).map { range in
            String(line[range.upperBound...].prefix { $0 != " " })
        }
    }
}
