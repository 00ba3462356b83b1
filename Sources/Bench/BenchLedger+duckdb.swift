import AppStore
import Foundation
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import Reports
internal import SQLiteStore

extension BenchLedger {
    /// DuckDB's time for a report from exported transitions against ours: from a loaded table, and
    /// including loading. Both must produce the same figures for the measurement to be valid.
    func duckDB(
        _ python: String, _ session: LedgerSession, _ report: Report, _ now: Timestamp,
        beside ours: BenchRow, _ count: Int64
    ) async throws -> [BenchRow] {
        let folder = "\(folder)/transitions"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if let reason = try await WarehouseComparison.missing(python) {
            return [BenchRow("metrics.duckdb", "ms", missing: reason, events: count)]
        }
        let exporting = try await BenchLedger.seconds {
            try await exportTransitions(session, to: folder)
        }
        let answer = try await WarehouseComparison.query(
            python: python, folder: folder, before: now)
        guard answer.figures == WarehouseComparison.figures(report), !answer.figures.isEmpty else {
            throw BenchProblem.different
        }
        let median = BenchLedger.median(answer.reports)
        func row(_ name: String, _ seconds: Double) -> BenchRow {
            BenchRow(
                name, seconds * 1_000, "ms", against: ours.value.map { .init(ours.name, $0) },
                events: count)
        }
        return [
            row("metrics.duckdb", median), row("metrics.duckdb.file", answer.loading + median),
            BenchRow("metrics.export", Double(count) / exporting, "events/s", events: count),
        ]
    }

    /// Writes the transitions in effect, one file per core: the lines of `subledger warehouse
    /// transitions` without retracted ones.
    private func exportTransitions(_ session: LedgerSession, to folder: String) async throws {
        let snapshot = session.snapshot
        guard
            let export = WarehouseExport(
                snapshot: snapshot, reportTimeZone: configuration.reportTimeZone)
        else { throw BenchProblem.refused }
        let pages = snapshot.facts.sharedPages()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<BenchLedger.workerCount {
                let path = "\(folder)/\(worker).ndjson"
                try Data().write(to: URL(filePath: path))
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                group.addTask {
                    while let (page, _) = try await pages.next() {
                        let lines = try export.standingTransitions(page)
                        try await Blocking.run { () throws(any Error) in
                            try file.write(contentsOf: lines)
                        }
                    }
                    try file.close()
                }
            }
            try await group.waitForAll()
        }
    }
}

extension WarehouseExport {
    /// The transitions in effect of whole chains: the sum of all lines of each chain, written at
    /// the chain's last position.
    func standingTransitions(_ page: FactsPage) throws(StoreError) -> [UInt8] {
        let subject = WarehouseSubject.transitions
        var writer = ExportLines(columns: subject.columns, format: .ndjson)
        let rules = rules(subject)
        try page.forEachChain { chain, facts in
            guard let last = facts.max(by: { $0.position < $1.position }) else { return }
            let reading = WarehouseReading(
                life: snapshot.ledger.life(of: facts), chain: chain,
                catalogue: snapshot.ledger.catalogue, zone: zone)
            for (values, count) in reading.stated(subject) where count > 0 {
                var line = line(last.position, last.receivedAt, chain, 1, values)
                line.values.append(.text(rules))
                writer.add { line.write(to: &$0, subject.columns) }
            }
        }
        return writer.take()
    }
}
