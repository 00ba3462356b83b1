import AppStore
import Foundation
import Testing

@Suite("subledger metrics explain")
struct ExplainCommandTests {
    private static let header =
        "Event Date\tEvent\tQuantity\tSubscription Name\tSubscription Apple ID\tCountry"

    /// A row of the product that the evidence has.
    private static func row(_ event: String, on day: String = "2026-01-10") -> String {
        "\(day)\t\(event)\t1\tpro\t1177256379\tUS"
    }

    private func explain(_ place: Workplace, _ options: String...) async throws -> Outcome {
        try await explain(place, options)
    }

    private func explain(_ place: Workplace, _ options: [String]) async throws -> Outcome {
        try await place.run(
            ["metrics", "explain", "--product", "1177256379=com.example.pro"] + options
                + place.options)
    }

    @Test("What it cannot read is refused with a code")
    func refused() async throws {
        let place = try await Workplace.taken()
        func code(of name: String, _ options: String...) async throws -> String? {
            try await Outcome.answered(
                ["metrics", "explain", "--report", place.file(name)] + options,
                over: place.file("data")
            ).errorCode
        }
        func code(_ lines: [String], _ name: String = "r.txt") async throws -> String? {
            try await code(of: try place.write(lines, to: name))
        }
        let state =
            "Subscription Name\tSubscription Apple ID\tCountry\tActive Standard Price Subscriptions"
        #expect(try await code([]) == "emptyReport")
        #expect(try await code(["Provider\tSKU"]) == "unknownReport")
        #expect(try await code(["Event\tQuantity"]) == "missingColumn")
        let row = ExplainCommandTests.row("Subscribe")
        #expect(try await code(["\(ExplainCommandTests.header)\r\(row)\r"]) == "unknownReport")
        #expect(try await code([state]) == "reportDayUnknown")
        #expect(try await code([state], "s_20260230.txt") == "reportDayUnknown")
        #expect(try await code([state], "s_20260131.txt") == nil)
        try place.write(Data([0x1F, 0x8B, 8, 0]), to: "r.gz")
        #expect(try await code(of: "r.gz") == "damagedGzip")
        #expect(try await code(of: "none") == "unreadableFile")
        let zone = try await code(of: "s_20260131.txt", "--time-zone", "PST")
        #expect(zone == "unknownTimeZone")
        #expect(try await code(of: "r.txt", "--day", "1769817600") == "invalidOption")
    }

    @Test("A malformed row has its line, and the exit code is 1; the rest is compared")
    func malformed() async throws {
        let place = try await Workplace.taken()
        try place.write(
            [
                ExplainCommandTests.header, "2026-01-10\tSubscribe",
                ExplainCommandTests.row("Subscribe"),
            ], to: "r.txt")
        let found = try await explain(place, "--report", "r.txt", "--json")
        #expect(found.code == 1, "\(found.err)")
        #expect(found.out.contains(#""malformed":[{"line":2,"code":"columnCount"}]"#))
        #expect(found.out.contains(#""apple":1,"ours":1,"difference":0"#))
    }

    @Test("A number that is blank or below 0 is a malformed row, and matches nothing")
    func numbers() async throws {
        let place = try await Workplace.taken()
        let rows = ["-1\t1", "\t1", "1\t-1", "1\t "].map { "pro\t1177256379\tFR\t\($0)" }
        try place.write(
            [
                "Subscription Name\tSubscription Apple ID\tCountry"
                    + "\tActive Standard Price Subscriptions\tFree Trial Win-back Offers"
            ] + rows, to: "s_20260110.txt")
        try place.write(
            [
                ExplainCommandTests.header, "2026-01-10\tSubscribe\t-1\tpro\t1177256379\t ",
                "2026-01-10\tRefund\t\tpro\t1177256379\tFR",
            ], to: "r.txt")
        let found = try await explain(
            place, "--report", "s_20260110.txt", "--report", "r.txt", "--json")
        #expect(found.code == 1, "\(found.err)")
        #expect(found.out.contains(#""cells":[]"#))
        for (count, lines) in [(4, 2...5), (2, 2...3)] {
            let malformed = lines.map { #"{"line":\#($0),"code":"invalidNumber"}"# }
            let text = malformed.joined(separator: ",")
            #expect(found.out.contains(#""malformedRows":\#(count),"malformed":[\#(text)]"#))
        }
    }

    /// Apps that both have the product, by App Apple ID.
    private static func apps(_ numbers: Int?...) -> [String] {
        let apps = zip([Evidence.app, "com.example.other"], numbers).map { app, number in
            "  - { bundleId: \(app)\(number.map { ", appAppleId: \($0)" } ?? "") }"
        }
        return ["dataDirectory: data", "trustedRoots: [root.der]", "apps:"] + apps
    }

    @Test("Rows of apps that were not asked about are left out, and counted")
    func otherApps() async throws {
        let place = try Workplace(options: ["--config", "c.yaml", "--json"])
        try place.write(ExplainCommandTests.apps(11, 22), to: "c.yaml")
        let other = try Evidence.line(
            "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 3_000, id: "600000000000002",
            app: "com.example.other")
        try place.write(Evidence.lines + [other], to: "in.ndjson")
        let ingested = try await place.run("ingest", "in.ndjson")
        #expect(ingested.code == 0, "\(ingested.err)")
        let rows = ["Subscribe", "Upgrade"].flatMap { event in
            ["11", "22", "33", " "].map { "\(ExplainCommandTests.row(event))\t\($0)" }
        }
        try place.write([ExplainCommandTests.header + "\tApp Apple ID"] + rows, to: "r.txt")

        func expect(_ apple: Int, _ ours: Int, leftOut: Int, _ options: String...) async throws {
            let found = try await explain(place, ["--report", "r.txt"] + options)
            let cell = #""apple":\#(apple),"ours":\#(ours),"#
            #expect(found.out.contains(cell), "\(found.out) \(found.err)")
            let event = #"[{"event":"Upgrade","quantity":\#(apple)}]"#
            let counted = #""otherAppRows":\#(leftOut),"notCompared":\#(event)"#
            #expect(found.out.contains(counted), "\(found.out)")
        }
        // The row without a number is compared always.
        try await expect(3, 2, leftOut: 2)
        try await expect(2, 1, leftOut: 4, "--bundle-id", Evidence.app)
        try place.write(ExplainCommandTests.apps(11, nil), to: "c.yaml")
        try await expect(4, 2, leftOut: 0)
        try await expect(2, 1, leftOut: 4, "--bundle-id", Evidence.app)
        try await expect(4, 1, leftOut: 0, "--bundle-id", "com.example.other")
        try await expect(
            2, 1, leftOut: 4, "--bundle-id", "com.example.other", "--app-apple-id", "22")
        let text = try await place.run([
            "metrics", "explain", "--report", "r.txt", "--config", "c.yaml", "--bundle-id",
            Evidence.app,
        ])
        #expect(text.out.contains("  not compared: rows of other apps, 4\n"), "\(text.out)")
        // A report without a row of the app compares nothing, which is no clean comparison.
        try place.write(
            [ExplainCommandTests.header + "\tApp Apple ID"]
                + ["33", "44"].map { "\(ExplainCommandTests.row("Subscribe"))\t\($0)" },
            to: "r.txt")
        let foreign = try await place.run([
            "metrics", "explain", "--report", "r.txt", "--config", "c.yaml", "--bundle-id",
            Evidence.app, "--app-apple-id", "11",
        ])
        #expect(foreign.code == 1, "\(foreign.err)")
        #expect(foreign.out.contains("\nno row is of an app asked about:"), "\(foreign.out)")
        try place.write([ExplainCommandTests.header], to: "r.txt")
        let none = try await place.run([
            "metrics", "explain", "--report", "r.txt", "--config", "c.yaml",
        ])
        #expect(none.code == 1 && none.out.contains("no row is of an app asked about:"))
    }

    @Test("A ledger without a chain explains nothing")
    func empty() async throws {
        let place = try Workplace()
        try place.write(
            [ExplainCommandTests.header, ExplainCommandTests.row("Subscribe")], to: "r.txt")
        let found = try await explain(place, "--report", "r.txt", "--json")
        #expect(found.code == 1, "\(found.err)")
        #expect(found.out.contains("emptyLedger") && found.out.contains("unknownProduct"))
    }

    @Test("Equal numbers end with 0, as text, JSON, and from gzip")
    func equal() async throws {
        let place = try await Workplace.taken()
        try place.write(
            [
                ExplainCommandTests.header, ExplainCommandTests.row("Subscribe"),
                ExplainCommandTests.row("Renew", on: "2026-02-09"),
            ], to: "r.txt")
        let text = try await explain(place, "--report", "r.txt")
        #expect(text.code == 0, "\(text.err)")
        #expect(text.out.contains("r.txt: subscriptionEvent, 2 rows\n"))
        #expect(text.out.contains("renewals") && text.err.isEmpty)
        let misspelt = try await explain(
            place, "--report", "r.txt", "--product", "Pro=com.example.pro")
        #expect(misspelt.err.contains("no row has the Apple ID or reference name Pro"))
        #expect(misspelt.code == 0 && misspelt.out == text.out)
        let json = try await explain(place, "--report", "r.txt", "--json")
        #expect(json.code == 0 && !json.out.contains("unexplained"))
        _ = try json.json()
        let ambiguous = try await explain(
            place, "--report", "r.txt", "--product", "Pro=com.example.pro", "--product", "Pro=x")
        #expect(ambiguous.code == 64 && ambiguous.err.contains("error: invalidOption: "))

        let packed = try await place.program("/usr/bin/gzip", ["-k", "r.txt"])
        #expect(packed.code == 0, "\(packed.err)")
        let zipped = try await explain(place, "--report", "r.txt.gz")
        #expect(zipped.code == 0, "\(zipped.err)")
        #expect(zipped.out.replacing("r.txt.gz", with: "r.txt") == text.out)
    }

    @Test("Prices that differ and proceeds are shown in units, where the counts are equal, too")
    func amounts() async throws {
        let place = try await Workplace.taken()
        try place.write(
            [
                "Event Date\tSubscription Name\tSubscription Apple ID\tCountry\tSubscriber ID"
                    + "\tRefund\tCustomer Price\tCustomer Currency\tUnits"
                    + "\tDeveloper Proceeds\tProceeds Currency",
                "2026-01-10\tpro\t1177256379\tUS\t77\t \t4.99\tUSD\t1\t3.49\tUSD",
            ], to: "r.txt")
        let found = try await explain(place, "--report", "r.txt")
        #expect(found.out.contains("  at 4.99 USD: Apple 1, ours 0\n"), "\(found.out)")
        #expect(found.out.contains("  proceeds: Apple 3.49 USD, our estimate before tax "))
        let json = try await explain(place, "--report", "r.txt", "--json")
        #expect(json.out.contains(#""proceeds":[{"currency":"USD","apple":3490,"estimate":"#))
    }

    @Test("A difference that nothing explains ends with 1, with what is known of the evidence")
    func unexplained() async throws {
        let place = try await Workplace.taken()
        try place.write(
            [
                ExplainCommandTests.header, ExplainCommandTests.row("Subscribe"),
                ExplainCommandTests.row("Subscribe"),
            ], to: "r.txt")
        let found = try await explain(place, "--report", "r.txt")
        #expect(found.code == 1)
        #expect(found.out.contains("2026-01-10 com.example.pro USA starts: +1\n"))
        #expect(found.out.contains("  +1 incomplete (notSwept)\n"))
        let json = try await explain(place, "--report", "r.txt", "--json")
        let part = #""cause":"incomplete","amount":1,"reason":"notSwept","chainCount":0"#
        #expect(json.code == 1 && json.out.contains(part))
    }
}
