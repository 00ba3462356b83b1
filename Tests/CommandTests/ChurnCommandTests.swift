import AppStore
import Foundation
import Testing

@Suite("subledger churn")
struct ChurnCommandTests {
    @Test(
        "Wrong usage is exit code 64 with a code of its own",
        arguments: [
            ([], "usage"), (["--from", "2026-01-01", "--by", "colour"], "unknownDimension"),
            (["--from", "2026-01-01", "--format", "xml"], "invalidOption"),
            (["--from", "2026-01-01", "--format", "csv", "--json"], "invalidOption"),
            (["--from", "2026-01-01", "--known-at", "x"], "invalidTime"),
        ])
    func wrong(arguments: [String], code: String) async throws {
        let place = try Workplace()
        let outcome = try await place.run(["churn"] + arguments + place.options)
        #expect(outcome.code == 64)
        #expect(outcome.errorCode == code)
        #expect(outcome.out.isEmpty)
    }

    @Test("The same figures as JSON, as comma-separated values and for people")
    func forms() async throws {
        let place = try await Workplace.taken()
        let question = ["churn", "--from", "2026-01-01", "--to", "2026-05-01", "--by", "product"]
        let json = try await place.run(question + ["--json"] + place.options).json()
        let rows = try #require(json["rows"]?.array)
        #expect(!rows.isEmpty && rows.allSatisfy { $0["residue"]?.int64 == 0 })
        #expect(rows.first?["new"]?.int64 == 1)
        let again = try await place.run(question + ["--format", "json"] + place.options).json()
        #expect(again["rows"] == json["rows"])
        let csv = try await place.run(question + ["--format", "csv"] + place.options)
        #expect(csv.out.split(separator: "\r\n").count == rows.count + 1)
        #expect(csv.out.hasPrefix("from,to,product,activeStart,new,"))
        let text = try await place.run(question + place.options)
        #expect(text.code == 0 && text.err.isEmpty)
        #expect(text.out.hasPrefix("churn/1 · Production · by month in UTC\n"))
        #expect(text.out.contains("2026-01-01"))
    }

    @Test("metrics NAME prints JSON, comma-separated values and text for people")
    func metrics() async throws {
        let place = try await Workplace.taken()
        let question = ["metrics", "revenue", "--from", "2026-01-01", "--to", "2026-05-01"]
        let json = try await place.run(question + ["--json"] + place.options).json()
        #expect(json["definition"]?.string == "revenue/1")
        let rows = try #require(json["rows"]?.array)
        #expect(rows.first?["values"]?["transactions"]?.int64 == 1)
        let csv = try await place.run(question + ["--format", "csv"] + place.options)
        #expect(csv.out.hasPrefix("from,to,currency,transactions,gross,"))
        let text = try await place.run(question + place.options)
        #expect(text.code == 0)
        #expect(text.out.hasPrefix("revenue/1 · Production · by month in UTC\n"))
        let unknown = try await place.run("metrics", "profit", "--from", "2026-01-01")
        #expect(unknown.code == 64)
        #expect(unknown.errorCode == "unknownMetric")
        let churn = try await place.run("metrics", "churn", "--from", "2026-01-01")
        #expect(churn.code == 64 && churn.errorCode == "unknownMetric")
        #expect(churn.err.contains("use `subledger churn`"))
    }

    @Test("--chart also draws a chart; where it cannot, that is exit code 74")
    func chart() async throws {
        let place = try await Workplace.taken()
        let question = ["churn", "--from", "2026-01-01", "--to", "2026-05-01", "--json", "--chart"]
        let outcome = try await place.run(question + ["out.svg"] + place.options)
        #expect(outcome.code == 0)
        #expect(try outcome.json()["rows"]?.array?.count == 4)
        let picture = try String(contentsOfFile: place.file("out.svg"), encoding: .utf8)
        #expect(picture.hasPrefix("<svg "))
        let nowhere = try await place.run(question + ["missing/out.svg"] + place.options)
        #expect(nowhere.code == 74)
        #expect(nowhere.errorCode == "ioError")
    }
}
