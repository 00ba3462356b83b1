import AppStore
import Foundation
import HTTPTypes
import Service
import TestSupport
import Testing

@testable import Web

@Suite("The configured table of rates over HTTP and in the console")
struct ConfiguredRatesTests {
    private let purchase = MadePurchase()
    private static let home = "/console/production/reports"
    private static let range = "from=2026-01-01&to=2026-03-01"

    /// A place whose configured table is a file with `text`.
    private static func place(_ text: String) throws -> (place: ServedPlace, file: URL) {
        var place = try ServedPlace.single()
        let path = try place.directory.write(Array(text.utf8), to: "rates.yaml")
        place.configuration.ratesFile = path
        return (place, URL(filePath: path))
    }

    private static func gross(_ answer: WebClient.Answer) -> [Int64] {
        (answer.json["rows"]?.array ?? []).compactMap {
            $0["values"]?["gross"]?["milliunits"]?.int64
        }.filter { $0 != 0 }
    }

    @Test("Without a usable table reports of money fail with a code; others do not")
    func unusable() async throws {
        let (place, file) = try Self.place("currency: USD")
        try await place.serve(renewed: purchase) { client, _ in
            for text in ["currency: usd", "currency: JPY", "- 1"] {
                try Data(text.utf8).write(to: file)
                let answer = try await client.get("/v1/metrics/revenue?\(Self.range)")
                // A table without a rate is usable, but lacks it.
                let lacks = text == "currency: JPY"
                #expect(answer.status == (lacks ? 400 : 503), "\(text)")
                #expect(answer.code == (lacks ? "missingRates" : "invalidRates"), "\(text)")
            }
            try FileManager.default.removeItem(at: file)
            let missing = try await client.get("/v1/metrics/mrr?\(Self.range)")
            #expect(missing.status == 503 && missing.code == "invalidRates")
            for path in ["revenue?rates=none&", "churn?", "revenue?by=currency&", "starts?"] {
                let answer = try await client.get("/v1/metrics/\(path)\(Self.range)")
                #expect(answer.status == 200 && answer.json["rates"] == nil, "\(path)")
            }
        }
    }

    @Test("Reports, differences and cells of money are in the table's currency, by day")
    func converted() async throws {
        let (place, file) = try Self.place(
            "currency: JPY\ndays: {2026-01-10: {USD: 150}, 2026-02-09: {USD: 151.5}}")
        try await place.serve(renewed: purchase) { client, _ in
            let path = "/v1/metrics/revenue?\(Self.range)"
            let revenue = try await client.get(path)
            #expect(Self.gross(revenue) == [1_498_500, 1_513_485])
            #expect(revenue.json["rates"]?["currency"]?.string == "JPY")
            let separate = try await client.get(path + "&rates=none")
            #expect(Self.gross(separate) == [9_990, 9_990])
            let given = try await client.get(path + "&rates=EUR,USD:2")
            #expect(Self.gross(given) == [19_980, 19_980])
            let diff = try await client.get(
                "/v1/metrics/diff?metric=revenue&knownPosition=1&\(Self.range)")
            let after = diff.json["cells"]?.array?.compactMap { $0["after"]?.int64 }
            #expect(after?.contains(1_513_485) == true)
            let cell = "/v1/metrics/revenue/chains?from=2026-02-01&column=gross&group=currency="
            #expect(try await client.get(cell + "JPY").json["amount"]?.int64 == 1_513_485)
            #expect(try await client.get(cell + "USD").json["amount"]?.int64 == 9_990)

            try Data("currency: EUR\nrates: {USD: 0.5}".utf8).write(to: file)
            let changed = try await client.get(path)
            #expect(Self.gross(changed) == [4_995, 4_995])
            #expect(changed.headers[.eTag] != revenue.headers[.eTag])
        }
    }

    @Test("The page of a figure names its rates; recurring money has those of its last day")
    func figureRates() async throws {
        let (place, _) = try Self.place(
            "currency: JPY\ndays: {2026-01-10: {USD: 140}, 2026-01-31: {USD: 150},"
                + " 2026-02-09: {USD: 160}, 2026-02-28: {USD: 170}}")
        let remark = "at the rates of this interval&#39;s last day; a longer report converts with"
        try await place.serve(renewed: purchase) { client, _ in
            for (name, column, line, isOfDay) in [
                ("mrr", "mrr", "USD 150, the rates of 2026-01-31", true),
                ("mrr-movement", "new", "USD 150, the rates of 2026-01-31", true),
                ("arr", "arr", "USD 150, the rates of 2026-01-31", true),
                ("revenue", "gross", "USD by day from 2026-01-10 to 2026-01-31", false),
            ] {
                let report = try await client.get("\(Self.home)/\(name)?\(Self.range)")
                let cell = try #require(
                    ScopeLinkTests.links(report.text).first {
                        $0.contains("/cell?from=2026-01-01&") && $0.contains("column=\(column)&")
                    }, "\(name)")
                let page = try await client.get(cell).text
                #expect(page.contains("amounts in JPY: \(line)"), "\(name)")
                #expect(page.contains(remark) == isOfDay, "\(name)")
            }
        }
    }

    @Test("The console shows the table's currency with its decimal places, and the way back")
    func console() async throws {
        let (place, _) = try Self.place("currency: JPY\nrates: {USD: 151.5}")
        try await place.serve(renewed: purchase) { client, _ in
            let path = "\(Self.home)/revenue?\(Self.range)"
            let page = try await client.get(path).text
            #expect(page.contains("amounts in JPY: USD 151.5"))
            #expect(page.contains(">1513<") && !page.contains("1513485"))
            #expect(page.contains("rates=none"))
            let separate = try await client.get(path + "&rates=none").text
            #expect(separate.contains(">9.99<") && !separate.contains("JPY"))
            let diff = try await client.get(
                "\(Self.home)/diff?metric=revenue&knownPosition=1&\(Self.range)"
            ).text
            #expect(diff.contains(">1513<") && !diff.contains("1513485"))
        }
    }
}
