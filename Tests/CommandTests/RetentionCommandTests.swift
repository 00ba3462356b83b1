import AppStore
import Foundation
import Testing

/// `simulate retention` and `metrics retention-offers` of the real binary against `serve` of the
/// real binary.
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

    @Test(
        "Invalid options are usage errors",
        arguments: [
            ["--to", "nowhere"], ["--to", "ftp://a/b"], ["--to", "http://"],
            ["--to", "http://127.0.0.1:1/", "--chains", "0"],
            ["--to", "http://127.0.0.1:1/", "--environment", "xcode"],
        ])
    func usage(arguments: [String]) async throws {
        let place = try Workplace(options: [])
        let outcome = try await place.run(
            ["simulate", "retention", "--authority", "apple"] + arguments)
        #expect(outcome.code == 64, "\(arguments) \(outcome.err)")
        #expect(outcome.out.isEmpty)
    }

    @Test("Without a listener it ends with a code")
    func unreachable() async throws {
        let place = try Workplace(options: [])
        let outcome = try await place.run(
            ["simulate", "retention", "--to", "http://127.0.0.1:1/"] + Self.store)
        #expect(outcome.code == 74)
        #expect(outcome.errorCode == "unreachable")
    }

    @Test("Without an active subscription nothing is posted, and the failure says so")
    func inactive() async throws {
        let place = try Workplace(options: [])
        let outcome = try await place.run([
            "simulate", "retention", "--to", "http://127.0.0.1:1/", "--authority", "apple",
            "--chains", "1", "--first-purchases", "2010-01-01T00:00:00Z/2010-02-01T00:00:00Z",
        ])
        #expect(outcome.code == 1)
        #expect(outcome.errorCode == "nothingToPost")
        #expect(outcome.out.isEmpty)
    }

    @Test("A range that ends where it begins or before is refused, not counted as empty")
    func reversed() async throws {
        let place = try Workplace()
        for end in ["2026-01-01", "2025-12-31"] {
            let report = try await place.run(
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

    @Test("Every request is answered and recorded; the report counts the messages by rule")
    func answered() async throws {
        let place = try await Workplace.besideApple()
        try place.write(
            """
            retention:
              - { name: everyone, message: 758883e8-151b-47b7-abd0-60c4d804c2f5 }
            """
            .split(separator: "\n").map(String.init), to: "subledger.yaml")
        let service = try await ServiceRun(place)
        let url = "http://127.0.0.1:\(service.port)/appstore"
        let store = Self.store
        // Before the ledger knows any subscription.
        let unknown = try await requests(place, url, store)
        #expect(unknown["answers"]?["none"] == unknown["requests"])
        let notified = try await place.run(
            ["simulate", "notify", "--to", "\(url)/notifications"] + store + place.options)
        #expect(notified.code == 0, "\(notified.err)")
        let known = try await requests(place, url, store)
        let said = try await place.run(
            ["simulate", "retention", "--to", "\(url)/elsewhere"] + store + place.options)
        #expect(said.out.contains(" lives: "), "\(said.out)")
        #expect(said.out.contains(" HTTP 404; the slowest took "), "\(said.out)")
        #expect(try await service.terminate() == 0)
        let count = try #require(known["requests"]?.int64)
        #expect(count > 0)
        let answers = known["answers"]?.object ?? []
        #expect(answers.compactMap(\.value.int64).reduce(0, +) == count)
        #expect(answers.allSatisfy { ["message", "none"].contains($0.key) })

        let report = ["metrics", "retention-offers", "--from", "2026-01-01T00:00:00Z"]
        let json = try await place.run(report + ["--json"] + place.options).json()
        let shown = known["answers"]?["message"]?.int64 ?? 0
        #expect(shown > 0)
        let row = json["rows"]?.array?.first
        #expect(row?["shown"]?.int64 ?? 0 == shown)
        // Nothing is decided in the seconds since the answer.
        #expect(row?["open"]?.int64 ?? 0 == shown)
        let others = (json["unanswered"]?.object ?? []).compactMap(\.value.int64).reduce(0, +)
        #expect(shown + others == count + (unknown["requests"]?.int64 ?? 0))
        let text = try await place.run(report + place.options)
        #expect(text.out.contains("everyone"), "\(text.out)")
        #expect(text.out.contains(", \(json["unanswered"]?["late"]?.int64 ?? -1) late\n"))
    }

    @Test("A performance test of the simulated Apple reaches the service, and is answered")
    func performance() async throws {
        let place = try await Workplace.besideApple()
        let service = try await ServiceRun(place)
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
        let url = "http://127.0.0.1:\(service.port)/appstore/retention"
        _ = try await answer("set-realtime-url", url, "--yes")
        let id = try #require(said["ids"]?.array?.first?.string)
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
        let report = try await place.run(
            ["metrics", "retention-offers", "--from", "2026-01-01", "--json"] + place.options
        ).json()
        let records = (report["unanswered"]?.object ?? []).compactMap(\.value.int64)
        #expect(records.reduce(0, +) >= count - failures.reduce(0, +))
    }

    private func requests(
        _ place: Workplace, _ url: String, _ store: [String]
    ) async throws -> JSONValue {
        let sent = try await place.run(
            ["simulate", "retention", "--to", "\(url)/retention", "--json"] + store + place.options)
        #expect(sent.code == 0, "\(sent.err)")
        return try sent.json()
    }
}
