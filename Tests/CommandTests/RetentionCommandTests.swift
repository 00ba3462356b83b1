import AppStore
import Foundation
import Testing

/// The performance test of `simulate server` and `metrics retention-offers` of the real binary
/// against `serve` of the real binary.
@Suite("Retention messages from request to report", .serialized)
struct RetentionCommandTests {
    /// Options of a simulated store that has subscriptions now.
    private static var store: [String] {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let times = ([-200, -20] as [Int64]).map {
            now.advanced(byMilliseconds: $0 * 86_400_000).rfc3339
        }
        return [
            "--authority", "apple", "--chains", "30", "--first-purchases",
            times.joined(separator: "/"),
        ]
    }

    @Test("A range that ends where it begins or before is refused, not counted as empty")
    func reversed() async throws {
        let place = try Workplace()
        for end in ["2026-01-01", "2025-12-31"] {
            let report = try await place.answered(
                "metrics", "retention-offers", "--from", "2026-01-01", "--to", end)
            #expect(report.code == 64)
            #expect(report.errorCode == "invalidRange")
        }
    }

    @Test("Without answers the report has only its head, and counts nothing")
    func empty() async throws {
        let place = try Workplace()
        let report = try await place.run(
            "metrics", "retention-offers", "--from", "2026-01-01T00:00:00Z")
        #expect(report.code == 0, "\(report.err)")
        #expect(
            report.out == """
                rule  message  offer  shown  kept  lost  open
                without a message: 0 noRule, 0 unknownChain, 0 unavailable, 0 late

                """)
        let missing = try await place.run("metrics", "retention-offers")
        #expect(missing.code == 64)
    }

    @Test("A performance test of the simulated Apple is answered, recorded and reported by rule")
    func performance() async throws {
        let place = try await Workplace.besideApple()
        try place.write(
            [
                "retention:",
                "  - { name: everyone, message: 758883e8-151b-47b7-abd0-60c4d804c2f5 }",
            ], to: "subledger.yaml")
        let service = try await ServiceRun(place)
        let address = "http://127.0.0.1:\(service.port)/appstore"
        let notified = try await place.run(
            ["simulate", "notify", "--to", "\(address)/notifications"] + Self.store + place.options)
        #expect(notified.code == 0, "\(notified.err)")
        let apple = try place.launch(
            ["simulate", "server", "--port", "0", "--json", "--bundle-id", Workplace.app]
                + Self.store)
        let said = try await LaunchedLine.first(of: apple)
        let options = ["--json"] + place.asking(said) + place.options
        func answer(_ arguments: String...) async throws -> JSONValue? {
            let asked = try await place.run(["api"] + arguments + options)
            #expect(asked.code == 0, "\(asked.err)")
            return try asked.json()["answers"]?.array?.first
        }
        let url = "\(address)/retention"
        _ = try await answer("set-realtime-url", url, "--yes")
        let id = try await activeChain(place)
        let begun = try await answer("performance-test", id, "--yes")
        let request = try #require(begun?["requestId"]?.string)
        var result: JSONValue?
        repeat {
            result = try await answer("performance-test-result", request)
        } while result?["result"]?.string == "PENDING"
        apple.signal(SIGTERM)
        #expect(try await apple.outcome().code == 0)
        #expect(try await service.terminate() == 0)
        let count = try #require(begun?["config"]?["totalRequests"]?.int64)
        let members = result?["failures"]?.object ?? []
        // On a busy machine some answers come too late, or are refused.
        let expected = ["TIMED_OUT", "UNSUCCESSFUL_HTTP_RESPONSE_CODE"]
        #expect(members.allSatisfy { expected.contains($0.key) }, "\(members)")
        let failures = members.compactMap(\.value.int64)
        #expect(result?["successRate"]?.int64 == 100 * (count - failures.reduce(0, +)) / count)
        #expect(result?["target"]?.string == url)
        let report = ["metrics", "retention-offers", "--from", "2026-01-01"] + place.options
        let json = try await place.run(report + ["--json"]).json()
        let row = json["rows"]?.array?.first
        let shown = try #require(row?["shown"]?.int64)
        #expect(shown > 0)
        // Nothing is decided in the seconds since the answers.
        #expect(row?["open"]?.int64 == shown)
        let others = (json["unanswered"]?.object ?? []).compactMap(\.value.int64).reduce(0, +)
        #expect(shown + others >= count - failures.reduce(0, +))
        let text = try await place.run(report)
        #expect(text.out.contains("everyone"), "\(text.out)")
        #expect(text.out.contains(", \(json["unanswered"]?["late"]?.int64 ?? -1) late\n"))
    }

    /// A subscription that the ledger knows to be active.
    private func activeChain(_ place: Workplace) async throws -> String {
        let lines = try await place.run(["export", "subscriptions"] + place.options).out
        let chains = try lines.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
        let active = chains.first { ["subscribed", "renewing"].contains($0["state"]?.string) }
        return try #require(active?["originalTransactionId"]?.string)
    }
}
