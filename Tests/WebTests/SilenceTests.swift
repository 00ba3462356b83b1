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
            let text = try await client.get("/metrics").text
            return text.split(separator: "\n").map(String.init).filter {
                $0.hasPrefix("\(SilenceTests.name){") && $0.contains("production")
            }
        }
    }

    private func line(_ source: String, _ time: Timestamp) -> String {
        "\(SilenceTests.name){app=\"\(MadePurchase.app)\",environment=\"production\""
            + ",source=\"\(source)\"} \(time.milliseconds / 1_000)"
    }

    @Test("After a restart the last arrivals are known at once, by labels that the alert uses")
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
        // The rule is of Apple's deliveries alone, by labels that the metric has.
        let page = try String(
            contentsOf: Fixtures.repository.appending(path: "Examples/alerts.yaml"),
            encoding: .utf8)
        let rule = try #require(
            page.components(separatedBy: "alert: SubledgerSilent").dropFirst().first)
        let labels = try #require(rule.firstMatch(of: /timestamp_seconds\{([^}]*)\}/)?.1)
            .split(separator: ",").map(String.init)
        #expect(labels.contains("source=\"webhook\""))
        for label in labels { #expect(line("webhook", first).contains(label), "\(label)") }
    }

    @Test("An empty log exports nothing; with its first event every app is silent since then")
    func empty() async throws {
        let place = try ServedPlace()
        let first = place.now
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let empty = try await client.get("/metrics").text
            #expect(!empty.contains("\(SilenceTests.name){"))
            let answer = try await client.post("/v1/transactions", MadePurchase().uploadBody(0))
            #expect(answer.status == 200)
            let text = try await client.get("/metrics").text
            for source in ["client", "webhook"] {
                #expect(text.contains(line(source, first)), "\(source)")
            }
        }
    }
}
