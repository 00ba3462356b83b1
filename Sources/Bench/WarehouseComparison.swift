import AppStore
import Foundation
import Ledger
internal import Reports

/// DuckDB on monthly churn by product, from transitions as `subledger warehouse` writes them: what
/// analysts would do without our sums.
enum WarehouseComparison {
    /// What Python said.
    struct Answer {
        /// Reading the files into a table, seconds.
        var loading: Double
        /// The report from that table, seconds each time.
        var reports: [Double]
        var figures: [Figure: Int64]
    }

    /// One cell of the report that is not 0.
    struct Figure: Hashable {
        /// 2026-01
        var month: String
        var product: String
        var column: String
    }

    /// Times the report is asked for.
    static let reportCount = 5
    /// The script's exit code where the package cannot be imported.
    private static let withoutPackage: Int32 = 3
    /// The usual exit codes where a program cannot be run.
    private static let withoutProgram: Set<Int32> = [126, 127]

    /// Asks DuckDB, in a process of its own.
    ///
    /// - Parameters:
    ///   - python: a program's path, or its name on PATH.
    ///   - folder: holds the lines as *.ndjson; what Python says is kept there, too.
    ///   - end: what comes then or later is not counted.
    static func ask(
        python: String, folder: String, before end: Timestamp
    ) async throws -> Answer {
        let status = try await BenchChild.status(
            "/usr/bin/env",
            [
                python, "-c", WarehouseScript.text, folder, end.rfc3339, "\(reportCount)",
            ])
        guard status == 0 else { throw BenchProblem.refused }
        let bytes = try Data(contentsOf: URL(filePath: "\(folder)/answer.json"))
        return try answer(try JSONValue.parse(Array(bytes)))
    }

    /// One sentence: why DuckDB cannot be asked; nil where it can.
    static func missing(_ python: String) async throws -> String? {
        let status = try await BenchChild.status(
            "/usr/bin/env", [python, "-c", WarehouseScript.looking])
        if withoutProgram.contains(status) {
            return "There is no \(python) to run DuckDB with; --python names one."
        }
        if status == withoutPackage {
            return
                "Python's package duckdb is not there (pip install duckdb); --python names a Python"
                + " that has it."
        }
        guard status == 0 else { throw BenchProblem.refused }
        return nil
    }

    private static func answer(_ json: JSONValue) throws -> Answer {
        guard let loading = json["loading"]?.int64, let reports = json["reports"]?.array,
            let cells = json["cells"]?.array
        else { throw BenchProblem.refused }
        var figures: [Figure: Int64] = [:]
        for cell in cells {
            guard let parts = cell.array, parts.count == 4, let month = parts[0].string,
                let product = parts[1].string, let column = parts[2].string,
                let amount = parts[3].int64
            else { throw BenchProblem.refused }
            figures[Figure(month: month, product: product, column: column)] = amount
        }
        return Answer(
            loading: seconds(loading), reports: reports.compactMap(\.int64).map(seconds),
            figures: figures)
    }

    private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1e6 }

    /// The cells of our own report that are not 0.
    static func figures(_ report: ChurnReport) -> [Figure: Int64] {
        var figures: [Figure: Int64] = [:]
        for row in report.rows {
            func set(_ column: String, _ amount: Int64) {
                guard amount != 0 else { return }
                let figure = Figure(
                    month: String(row.from.rfc3339.prefix(7)),
                    product: (row.group.first ?? nil) ?? "",
                    column: column)
                figures[figure] = amount
            }
            set("activeStart", row.activeStart)
            set("activeEnd", row.activeEnd)
            for (column, amount) in row.columns { set(column.name, amount) }
        }
        return figures
    }
}
