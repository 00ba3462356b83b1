import AppStore
import Foundation
import Testing

@Suite("subledger ingest")
struct IngestCommandTests {
    @Test("Good lines are appended with exit code 0, and are duplicates the second time")
    func good() async throws {
        let place = try Workplace()
        try place.write(Evidence.lines, to: "in.ndjson")
        let first = try await place.run("ingest", "in.ndjson", "--json")
        #expect(first.code == 0)
        let summary = try first.json()
        #expect(
            summary.object?.map(\.key) == [
                "read", "appended", "duplicates", "conflicts", "rejected", "quarantined",
                "errors", "errorsOmitted", "position", "notKept",
            ])
        #expect(summary["appended"]?.int64 == 4)
        let second = try await place.run("ingest", "in.ndjson", "--json")
        #expect(second.code == 0)
        #expect(try second.json()["duplicates"]?.int64 == 4)
        #expect(try second.json()["position"]?.int64 == 4)
    }

    @Test("Bad lines among them are reported with file and line, and exit code 1")
    func bad() async throws {
        let place = try Workplace()
        var lines = Evidence.lines
        lines.insert("not evidence", at: 2)
        lines.insert(
            try Evidence.line(
                "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start, id: "9", app: "com.other"),
            at: 4)
        try place.write(lines, to: "in.ndjson")
        let outcome = try await place.run("ingest", "in.ndjson", "--json")
        #expect(outcome.code == 1)
        let summary = try outcome.json()
        #expect(summary["read"]?.int64 == 6)
        #expect(summary["appended"]?.int64 == 4)
        #expect(summary["rejected"]?.int64 == 1)
        #expect(summary["quarantined"]?.int64 == 1)
        let errors = try #require(summary["errors"]?.array)
        #expect(errors.map { $0["input"]?.string } == ["in.ndjson:3", "in.ndjson:5"])
        #expect(errors.map { $0["code"]?.string } == ["malformedJWS", "wrongApp"])
        let text = try await place.run("ingest", "in.ndjson")
        #expect(text.code == 1)
        #expect(text.err.contains("in.ndjson:3: malformedJWS: "))
        #expect(text.err.contains("in.ndjson:5: wrongApp: "))
        #expect(text.out.contains("4 duplicates"))
    }

    @Test("Evidence without an environment requires one, from an option or a variable")
    func unnamedEnvironment() async throws {
        let place = try Workplace()
        func line(_ id: Int) throws -> String {
            try Evidence.sign(
                #"{"transactionId":"\#(id)","originalTransactionId":"\#(id)","#
                    + #""bundleId":"\#(Evidence.app)","productId":"com.example.pro","#
                    + #""purchaseDate":\#(Evidence.start),"quantity":1,"#
                    + #""expiresDate":\#(Evidence.start + Evidence.month),"#
                    + #""type":"Auto-Renewable Subscription","signedDate":\#(Evidence.start)}"#)
        }
        try place.write([line(71), line(72)], to: "old.ndjson")
        let refused = try await place.run("ingest", "old.ndjson", "--json")
        #expect(refused.code == 1)
        let errors = try #require(try refused.json()["errors"]?.array)
        #expect(errors.map { $0["code"]?.string } == ["environmentMissing", "environmentMissing"])
        let retried = try await place.run("quarantine", "retry", "--json")
        #expect(try retried.json()["appended"]?.int64 == 0)
        try place.write([line(71)], to: "one.ndjson")
        let named = try await place.run(
            "ingest", "one.ndjson", "--json", "--environment", "production")
        #expect(try named.json()["appended"]?.int64 == 1)
        let variable = try await place.run(
            "quarantine", "retry", "--json", variables: ["SUBLEDGER_ENVIRONMENT": "production"])
        #expect(variable.code == 0)
        #expect(try variable.json()["appended"]?.int64 == 1)
        #expect(try variable.json()["duplicates"]?.int64 == 1)
    }

    @Test("Several files are one run, whose conflicts are not failures")
    func conflict() async throws {
        let place = try Workplace()
        let other = try Evidence.line(
            "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 3_000, storefront: "DEU")
        for (name, line) in [("one", Evidence.lines[0]), ("two", other)] {
            try place.write([line], to: name)
        }
        let outcome = try await place.run("ingest", "one", "two", "--json")
        #expect(outcome.code == 0)
        #expect(try outcome.json()["conflicts"]?.int64 == 1)
    }

    @Test("Standard input is read by default")
    func standardInput() async throws {
        let place = try Workplace()
        let outcome = try await place.run(
            "ingest", "--json", input: Evidence.lines.joined(separator: "\n") + "\nbad\n")
        #expect(outcome.code == 1)
        let summary = try outcome.json()
        #expect(summary["appended"]?.int64 == 4)
        #expect(summary["errors"]?.array?.first?["input"]?.string == "-:5")
    }

    @Test("A missing file is an input error")
    func missing() async throws {
        let outcome = try await Workplace().run("ingest", "none.ndjson", "--json")
        #expect(outcome.code == 74)
        #expect(outcome.errorCode == "unreadableInput")
        #expect(outcome.err.contains("none.ndjson"))
        #expect(outcome.out.isEmpty)
    }

    @Test("Without an app nothing could be accepted, and the command reports that")
    func noApp() async throws {
        let place = try Workplace(options: ["--data", "data"])
        let outcome = try await place.run("ingest", "-")
        #expect(outcome.code == 78)
        #expect(outcome.errorCode == "missingKey")
        #expect(outcome.err.contains("--bundle-id"))
    }

    @Test("No message repeats what was refused")
    func silence() async throws {
        let place = try Workplace()
        let secret = "TOPSECRETTOPSECRET"
        let outcome = try await place.run(
            "ingest", "-", input: "\(secret)\n{\"\(secret)\":1}\n\(secret).\(secret).x\n")
        #expect(outcome.code == 1)
        #expect(!outcome.err.contains(secret))
        #expect(!outcome.out.contains(secret))
    }

    @Test("Its help names every format it takes")
    func help() async throws {
        let help = try await Workplace().run(["ingest", "--help"]).out
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for form in [
            "compact JWS", "\"signedPayload\"", "\"signedTransactionInfo\"", "app receipt",
            "\"receipt-data\"", "verifyReceipt response", "version 1 notification",
            "sharedSecretFile", "\"notificationV1\"", "export events --evidence",
        ] { #expect(help.contains(form), "\(form)") }
    }
}
