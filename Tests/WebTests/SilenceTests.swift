import AppStore
import Foundation
import Service
import TestSupport
import Testing

@testable import Web

/// Detects that Apple's notifications have stopped.
@Suite("The alert about silence")
struct SilenceTests {
    private static let name = "subledger_last_event_timestamp_seconds"

    /// The lines of the metric about Production, as exported by a service that has just started.
    private func lines(_ place: ServedPlace) async throws -> [String] {
        var place = place
        place.metrics = ServiceMetrics()
        return try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let text = String(decoding: try await client.get("/metrics").bytes, as: UTF8.self)
            return text.split(separator: "\n").map(String.init).filter {
                $0.hasPrefix("\(SilenceTests.name){") && $0.contains("production")
            }
        }
    }

    private func line(_ source: String, _ time: Timestamp) -> String {
        "\(SilenceTests.name){app=\"\(MadePurchase.app)\",environment=\"production\""
            + ",source=\"\(source)\"} \(time.milliseconds / 1_000)"
    }

    @Test("After a restart the last arrivals from Apple and from clients are known at once")
    func restarted() async throws {
        var place = try ServedPlace()
        let purchase = MadePurchase()
        let first = place.now
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
        }
        place.now = first.advanced(byMilliseconds: 8 * 3_600_000)
        let second = place.now
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.post("/v1/transactions", purchase.uploadBody(1))
            #expect(answer.status == 200)
        }
        #expect(try await lines(place) == [line("client", second), line("webhook", first)])
    }

    @Test("An empty log exports nothing; with its first event every app is silent since then")
    func empty() async throws {
        var place = try ServedPlace()
        #expect(try await lines(place) == [])
        let first = place.now
        place.metrics = ServiceMetrics()
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            _ = try await client.get("/metrics")
            let answer = try await client.post("/v1/transactions", MadePurchase().uploadBody(0))
            #expect(answer.status == 200)
            let text = String(decoding: try await client.get("/metrics").bytes, as: UTF8.self)
            for source in ["client", "webhook"] {
                #expect(text.contains(line(source, first)), "\(source)")
            }
        }
        #expect(try await lines(place) == [line("client", first), line("webhook", first)])
    }

    @Test("The rule uses Apple's deliveries alone, by labels that the metric has")
    func rule() async throws {
        let page = try String(
            contentsOf: Fixtures.repository.appending(path: "Examples/alerts.yaml"),
            encoding: .utf8)
        let rule = try #require(
            page.components(separatedBy: "alert: SubledgerSilent").dropFirst().first)
        let labels = try #require(rule.firstMatch(of: /timestamp_seconds\{([^}]*)\}/)?.1)
            .split(separator: ",").map(String.init)
        #expect(labels.contains("source=\"webhook\""))
        let place = try ServedPlace()
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(MadePurchase().notificationBody()).status == 200)
        }
        let reported = try #require(try await lines(place).first)
        for label in labels { #expect(reported.contains(label), "\(label)") }
    }
}
