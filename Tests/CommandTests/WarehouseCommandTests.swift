import AppStore
import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import subledger

@Suite("subledger warehouse")
struct WarehouseCommandTests {
    /// A Python with the package duckdb; nil where Python or the package is missing. Determined
    /// once.
    private static var python: String? {
        get async { await search.value }
    }

    private static let search = Task { () -> String? in
        let named = ProcessInfo.processInfo.environment["SUBLEDGER_TEST_PYTHON"]
        let candidates =
            [named].compactMap(\.self) + ["/usr/bin/python3", "/usr/local/bin/python3"]
        for path in candidates
        where (try? await Workplace().program(path, ["-c", "import duckdb"]))?.code == 0 {
            return path
        }
        return nil
    }

    private static let sixty = Task { try await taken(events: 60, in: .shared()) }

    /// A ledger with a simulated history.
    private static func taken(
        events: Int, in directory: TemporaryDirectory? = nil
    ) async throws -> Workplace {
        let place = try Workplace(in: directory)
        let reported = try await place.run(
            "simulate", "history", "--events", "\(events)", "--root", "root.der")
        try place.write(Data(reported.out.utf8), to: "in.ndjson")
        let ingested = try await place.run(
            "ingest", "in.ndjson", "--data", "data", "--trust-root", "root.der")
        #expect(ingested.code == 0, "\(ingested.err)")
        return place
    }

    @Test("Lines after a position are the rest of all lines")
    func resumed() async throws {
        let place = try await Self.sixty.value.copied()
        for subject in ["facts", "daily"] {
            let command = ["warehouse", subject, "--format", "csv", "--data", "data"]
            let whole = try await place.run(command)
            let first = try await place.run(command + ["--through", "30"])
            let rest = try await place.run(command + ["--after", "30"])
            #expect(whole.code == 0 && first.out + rest.out == whole.out, "\(whole.err)")
            #expect(!rest.out.isEmpty)
            let line = try #require(rest.out.split(separator: "\r\n").last)
            let rules = try #require(line.split(separator: ",").last.map(String.init))
            let same = try await place.run(command + ["--after", "30", "--rules", rules])
            #expect(same.code == 0 && same.out == rest.out)
            // Other days give other sums, and nothing else.
            try place.write(Data("reportTimeZone: Asia/Tokyo".utf8), to: "zone.yaml")
            let moved = try await place.run(
                command + ["--after", "30", "--rules", rules, "--config", "zone.yaml"])
            if subject == "daily" {
                #expect(moved.code == 1 && moved.errorCode == "rulesChanged" && moved.out.isEmpty)
            } else {
                #expect(moved.code == 0 && moved.out == rest.out, "\(moved.err)")
            }
        }
    }

    @Test("What a run left that ended inside a position is completed as page and help say")
    func cutShort() async throws {
        let place = try await Self.sixty.value.copied()
        let command = ["warehouse", "transitions", "--data", "data"]
        let whole = try await place.run(command).out
        let lines = whole.split(separator: "\n")
        let positions = try lines.map {
            try #require(try JSONValue.parse(Array($0.utf8))["position"]?.int64)
        }
        // The first of a position's lines was written, and a part of the next.
        let next = try #require(
            positions.indices.dropFirst().last { positions[$0] == positions[$0 - 1] })
        let last = positions[next]
        let kept = lines.prefix { !$0.contains("\"position\":\(last),") }
        let resumed = try await place.run(command + ["--after", "\(last - 1)"])
        #expect(resumed.code == 0, "\(resumed.err)")
        #expect(kept.map { "\($0)\n" }.joined() + resumed.out == whole)
        // From position 0 a table has its header, also up to position 1.
        let table = ["warehouse", "facts", "--data", "data", "--format", "csv"]
        let header = "position,knownAt,sign,"
        #expect(try await place.run(table + ["--after", "0"]).out.hasPrefix(header))
        #expect(try await place.run(table + ["--through", "1"]).out.hasPrefix(header))
        #expect(try await !place.run(table + ["--after", "1"]).out.contains(header))
        // After the last position itself, the rest of its lines would be missing.
        let lost = try await place.run(command + ["--after", "\(last)"])
        #expect(lines.prefix(next).map { "\($0)\n" }.joined() + lost.out != whole)

        let page = try String(
            contentsOf: Fixtures.repository.appending(
                path: "Sources/Reports/Reports.docc/Warehouse.md"), encoding: .utf8)
        for text in [page, WarehouseCommand.configuration.discussion] {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                .replacing("`", with: "")
            #expect(words.contains("that did not end with exit code 0"))
            #expect(words.contains("(and a line without its end), and resume with --after P-1"))
            #expect(words.contains("; where P is 1, or no line is whole, begin the file again"))
        }
    }

    @Test(
        "A position before the first, an end before the beginning, and CSV as JSON are wrong usage",
        arguments: [
            ["--after=-1"], ["--after", "5", "--through", "4"], ["--json", "--format", "csv"],
        ])
    func wrong(_ arguments: [String]) async throws {
        let place = try Workplace()
        let outcome = try await place.run(["warehouse", "facts"] + arguments)
        #expect(outcome.code == 64 && outcome.errorCode == "invalidOption")
    }

    @Test(
        "Churn recomputed by DuckDB with the page's own query equals subledger churn",
        .enabled(
            "Python's package duckdb is missing; name a Python that has it in SUBLEDGER_TEST_PYTHON"
        ) { await python != nil })
    func recomputed() async throws {
        let place = try await Self.taken(events: 3_000)
        let exported = try await place.run("warehouse", "transitions", "--data", "data")
        try place.write(Data(exported.out.utf8), to: "transitions.ndjson")
        let page = Fixtures.repository.appending(
            path: "Sources/Reports/Reports.docc/Warehouse.md")
        let script = Fixtures.repository.appending(path: "Tests/Warehouse/churn.py")
        let ran = try await place.program(
            try #require(await Self.python),
            [script.path(), page.path(), place.file("transitions.ndjson")])
        #expect(ran.code == 0, "\(ran.err)")
        let computed = try #require(try JSONValue.parse(Array(ran.out.utf8)).array)
        let churn = try await place.run(
            "churn", "--from", "2026-01-01", "--to", "2027-01-01", "--json", "--data", "data"
        ).json()
        let rows = try #require(churn["rows"]?.array)
        var churned: Int64 = 0
        for (row, month) in zip(rows, computed) {
            // The current month ends now, a time the query does not have.
            guard row["to"]?.string?.hasSuffix("-01T00:00:00.000Z") == true else { continue }
            #expect(row["from"]?.string?.prefix(10) == month["from"]?.string?.prefix(10))
            for column in ["activeStart", "new", "reactivated", "recovered"] {
                #expect(row[column]?.int64 == month[column]?.int64, "\(column)")
            }
            #expect(row["churned"]?["voluntary"]?.int64 == month["voluntary"]?.int64)
            #expect(row["churned"]?["total"]?.int64 == month["churned"]?.int64)
            churned += month["churned"]?.int64 ?? 0
        }
        #expect(churned > 0)
    }

    private func measured(_ python: String, events: Int) async throws -> [JSONValue] {
        let outcome = try await Workplace().run(
            "bench", "metrics", "--events", "\(events)", "--json", "--python", python)
        #expect(outcome.code == 0, "\(outcome.err)")
        return try outcome.out.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    }

    @Test(
        "Without DuckDB the benchmark of metrics states why there is no comparison, and continues")
    func incomparable() async throws {
        let rows = try await measured("no-such-python", events: 100)
        let row = try #require(rows.first { $0["name"]?.string == "metrics.duckdb" })
        #expect(row["value"]?.int64 == nil)
        #expect(row["reason"]?.string?.contains("no-such-python") == true)
        #expect(rows.contains { $0["name"]?.string == "metrics.projecting" })
    }

    @Test(
        "The benchmark of metrics equals DuckDB's figures, and prints both times",
        .enabled("Python's package duckdb is missing") { await python != nil })
    func compared() async throws {
        // A differing cell would end it with an error.
        let rows = try await measured(try #require(await Self.python), events: 400)
        for name in ["metrics.duckdb", "metrics.duckdb.file"] {
            let row = try #require(rows.first { $0["name"]?.string == name })
            #expect(row["limitName"]?.string == "metrics.reportZone")
            #expect(row["reason"] == nil && row["ratio"] != JSONValue.null)
        }
    }

    @Test("Rates and definitions are set by their options, and refused with a code")
    func options() async throws {
        let place = try await Self.taken(events: 200)
        let range = ["--from", "2022-01-01", "--data", "data"]
        try place.write(Data("currency: USD\nrates: {}".utf8), to: "rates.yaml")
        let missing = try await place.run(["metrics", "revenue", "--rates", "rates.yaml"] + range)
        #expect(missing.code == 64 && missing.errorCode == "missingRates")
        let nowhere = try await place.run(["metrics", "mrr", "--rates", "none.yaml"] + range)
        #expect(nowhere.code == 74 && nowhere.errorCode == "unreadableFile")
        let basis = ["--refund-basis", "purchase"]
        let bought = try await place.run(["metrics", "refunds", "--json"] + basis + range)
        #expect(try bought.json()["definition"]?.string == "refunds-by-purchase/1")
        let own = try await place.run(
            ["metrics", "refunds", "--json", "--refund-basis", "refund"] + range)
        #expect(try own.json()["definition"]?.string == "refunds/1")
        let others = try await place.run(["metrics", "revenue"] + basis + range)
        #expect(others.code == 64 && others.errorCode == "invalidOption")
        let table = try await place.run(["metrics", "proceeds", "--format", "csv"] + range)
        #expect(table.out.hasPrefix("from,to,currency,"))
        #expect(table.err.contains("proceeds/1") && table.err.contains("An estimate"))
        #expect(table.err.contains("completeness"))
        let reported = try await place.run(
            ["churn", "--definitions", "revenuecat", "--json"] + range)
        let rows = try #require(try reported.json()["rows"]?.array)
        #expect(rows.contains { $0["ours"]?.int64 ?? 0 > 0 })
        let named = try await place.run(
            ["churn", "--by", "reason", "--definitions", "adapty", "--json"] + range)
        #expect(try named.json()["reasons"]?.array?.isEmpty == false)
        let dated = try await place.run(
            ["metrics", "refunds", "--definitions", "revenuecat", "--json"] + basis + range)
        #expect(try dated.json()["definition"]?.string == "refunds-by-purchase/1")
        #expect(try dated.json()["rules"]?.array?.isEmpty == true)
        let none = try await place.run(["metrics", "ltv", "--definitions", "stripe"] + range)
        #expect(none.code == 64 && none.errorCode == "undocumentedDefinition")
        let both = try await place.run(["churn", "--paid", "--definitions", "stripe"] + range)
        #expect(both.code == 64 && both.errorCode == "invalidOption")
    }
}
