import AppStore
import Foundation
import Testing

/// `simulate notify` of the real binary against `serve` of the real binary.
@Suite("subledger simulate notify", .serialized)
struct NotifyCommandTests {
    private static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    private func url(_ service: ServiceRun) -> String {
        "http://127.0.0.1:\(service.port)/appstore/notifications"
    }

    @Test("Everything but lost notifications arrives, in spite of all faults")
    func arrives() async throws {
        let place = try await Workplace.besideApple()
        let service = try await ServiceRun(place)
        let reported = try await place.run(
            "simulate", "notify", "--to", url(service), "--authority", "apple", "--chains", "6",
            "--rough", "1", "--until", "2030-01-01T00:00:00Z", "--json")
        #expect(try await service.terminate() == 0)
        #expect(reported.code == 0, "\(reported.err)")
        let report = try reported.json()
        let sent = try #require(report["notifications"]?.int64)
        let lost = try #require(report["lost"]?.int64)
        #expect(sent > 10)
        #expect(try #require(report["attempts"]?.int64) > sent)
        #expect(try #require(report["failed"]?.int64) > 0)
        let events = try await place.run(["export", "events", "--data", "data"])
        let here = Int64(events.out.split(separator: "\n").count)
        #expect(here >= sent - lost && here <= sent)
        #expect(try await place.run("audit", "verify").code == 0)
    }

    @Test("Notifications lost in an outage are in the API served with it, with every attempt")
    func failures() async throws {
        let place = try await Workplace.besideApple()
        let service = try await ServiceRun(place)
        let launched = try place.launch([
            "simulate", "notify", "--to", url(service), "--authority", "apple", "--chains", "6",
            "--outage", "2026-02-01T00:00:00Z/2030-01-01T00:00:00Z", "--port", "0", "--json",
            "--bundle-id", Workplace.app, "--until", "2026-07-01T00:00:00Z",
        ])
        let said = try await LaunchedLine.first(2, of: launched)
        let server = try #require(said.first { $0["port"] != nil })
        let report = try #require(said.first { $0["attempts"] != nil })
        let missing = try #require(report["neverTaken"]?.int64)
        #expect(missing > 0)
        let asked = try await place.run(
            [
                "api", "notifications", "--from", "2026-02-01T00:00:00Z", "--only-failures",
                "--to", "2026-07-01T00:00:00Z", "--json",
            ] + place.asking(server) + place.options)
        launched.signal(SIGTERM)
        #expect(try await launched.outcome().code == 0)
        #expect(try await service.terminate() == 0)
        #expect(asked.code == 0, "\(asked.err)")
        let answers = try #require(try asked.json()["answers"]?.array)
        let items = answers.flatMap { $0["notificationHistory"]?.array ?? [] }
        #expect(!items.isEmpty && Int64(items.count) <= missing)
        for item in items {
            let attempts = item["sendAttempts"]?.array ?? []
            #expect((1...6).contains(attempts.count))
            #expect(attempts.allSatisfy { $0["sendAttemptResult"]?.string == "NO_RESPONSE" })
        }
    }

    @Test(
        "Invalid options are usage errors",
        arguments: [
            ["--to", "ftp://a/b"], ["--to", "http://"],
            ["--to", "http://127.0.0.1:1/", "--faults", "bad.json"],
            ["--to", "http://127.0.0.1:1/", "--environment", "xcode"],
        ])
    func usage(arguments: [String]) async throws {
        let place = try Workplace(options: [])
        try place.write(["[{\"fault\":\"gone\"}]"], to: "bad.json")
        let outcome = try await place.run(
            ["simulate", "notify", "--authority", "apple"] + arguments)
        #expect(outcome.code == 64, "\(arguments) \(outcome.err)")
        #expect(outcome.out.isEmpty)
    }

    @Test("Without a listener every attempt fails, and the report says so")
    func unknownCustomer() async throws {
        let place = try Workplace(options: [])
        let reported = try await place.run([
            "simulate", "notify", "--to", "http://127.0.0.1:1/", "--authority", "apple",
            "--chains", "1", "--until", "2030-01-01T00:00:00Z", "--json",
        ])
        #expect(reported.code == 0, "\(reported.err)")
        let report = try reported.json()
        #expect(report["until"]?.string == "2030-01-01T00:00:00.000Z")
        #expect((report["notifications"]?.int64 ?? 0) > 0)
        #expect(report["neverTaken"] == report["notifications"])
        #expect(report["givenUp"] == report["notifications"])
        #expect(report["handedOver"]?.int64 == 0)
        #expect(report["attempts"]?.int64 == (report["notifications"]?.int64 ?? 0) * 6)
    }

    @Test("Without --until it sends up to now, and the API served with it stays there")
    func untilNow() async throws {
        let place = try Workplace(options: [])
        let began = Self.now
        let launched = try place.launch([
            "simulate", "notify", "--to", "http://127.0.0.1:1/", "--authority", "apple",
            "--chains", "6", "--port", "0", "--json", "--bundle-id", Workplace.app,
        ])
        let said = try await LaunchedLine.first(2, of: launched)
        let server = try #require(said.first { $0["port"] != nil })
        let report = try #require(said.first { $0["attempts"] != nil })
        let until = try #require(report["until"]?.string.flatMap { Timestamp(rfc3339: $0) })
        #expect((began...Self.now).contains(until))
        // 170 days back is too old only for an API whose time is in the future.
        let asked = try await place.run(
            [
                "api", "notifications", "--from",
                until.advanced(byMilliseconds: -170 * 86_400_000).rfc3339, "--to", until.rfc3339,
                "--json", "--data", "data", "--bundle-id", Workplace.app, "--trust-root",
                place.file("apple/root.der"),
            ] + place.asking(server))
        launched.signal(SIGTERM)
        #expect(try await launched.outcome().code == 0)
        #expect(asked.code == 0, "\(asked.err)")
    }
}
