import AppStore
import Foundation
import Ledger
internal import Reports

/// Monthly churn by product in DuckDB, from transitions as written by `subledger warehouse`: the
/// alternative to the stored sums.
enum WarehouseComparison {
    /// The output of the Python script.
    struct Answer {
        /// Seconds to read the files into a table.
        var loading: Double
        /// Seconds per report from that table.
        var reports: [Double]
        var figures: [Figure: Int64]
    }

    /// A cell of the report other than 0.
    struct Figure: Hashable {
        /// 2026-01
        var month: String
        var product: String
        var column: String
    }

    /// Number of measurements of the report.
    static let reportCount = 5
    /// The script's exit code if the package cannot be imported.
    private static let withoutPackage: Int32 = 3
    /// The usual exit codes if a program cannot be executed.
    private static let withoutProgram: Set<Int32> = [126, 127]

    /// Runs DuckDB in a separate process.
    ///
    /// - Parameters:
    ///   - python: the path of a program, or its name on PATH.
    ///   - folder: contains the lines as *.ndjson; also receives the output of the script.
    ///   - end: exclusive end of the counted time.
    static func query(
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

    /// Why DuckDB cannot be run, in one sentence; nil if it can.
    static func missing(_ python: String) async throws -> String? {
        let status = try await BenchChild.status(
            "/usr/bin/env", [python, "-c", WarehouseScript.looking])
        if withoutProgram.contains(status) {
            return "\(python) was not found, which runs DuckDB; select another with --python."
        }
        if status == withoutPackage {
            return
                "Python's package duckdb is missing (pip install duckdb); select a Python that has"
                + " it with --python."
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

    /// The cells of our own report other than 0.
    static func figures(_ report: Report) -> [Figure: Int64] {
        var figures: [Figure: Int64] = [:]
        let names = ["activeStart", "activeEnd"] + RollForwardColumn.all.map(\.name)
        for row in report.rows {
            for column in names where row[column] != 0 {
                let figure = Figure(
                    month: String(row.from.rfc3339.prefix(7)),
                    product: (row.group.first ?? nil) ?? "", column: column)
                figures[figure] = row[column]
            }
        }
        return figures
    }
}
