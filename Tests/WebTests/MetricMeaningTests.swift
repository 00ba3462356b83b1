import AppStore
import Foundation
import Intake
import LedgerStore
import Projection
import TestSupport
import Testing

@testable import Service
@testable import Web

/// The help text of each metric.
@Suite("Help texts of metrics")
struct MetricMeaningTests {
    private static func page() throws -> String {
        return try String(
            contentsOf: Fixtures.repository.appending(path: "Sources/Web/Web.docc/Service.md"),
            encoding: .utf8)
    }

    /// Names in the table of Service.md, without their labels.
    private static func documented() throws -> Set<String> {
        let rows = try page().split(separator: "\n").filter { $0.hasPrefix("| `subledger_") }
        return Set(
            rows.flatMap { row in
                row.split(separator: "|", omittingEmptySubsequences: true)[0].matches(
                    of: /`(subledger_[a-z_]+)/
                ).map { String($0.1) }
            })
    }

    @Test("Every metric of Service.md has a text, and no other")
    func documentedOnes() throws {
        let documented = try MetricMeaningTests.documented()
        let reported = Set(MetricMeaning.texts.keys)
        #expect(
            documented.subtracting(reported) == [], "in Service.md, without a text in MetricMeaning"
        )
        #expect(
            reported.subtracting(documented) == [], "in MetricMeaning, without a row in Service.md")
        for (name, text) in MetricMeaning.texts {
            #expect(!text.contains { $0 == "\\" || $0.isNewline } && text.hasSuffix("."), "\(name)")
        }
    }

    @Test("The end of the complete window is that of the swept app farthest behind, however far")
    func farthestBehind() async throws {
        let apps = [MadePurchase.app, "com.example.other", "com.example.unusableKey"]
        var place = try ServedPlace(apps: apps + ["com.example.withoutKey"])
        for number in apps.indices {
            place.configuration.apps[number].api = Configuration.API(
                keyId: "K", issuerId: "I", privateKeyFile: "none", baseUrl: nil)
        }
        // No client could be made of any key.
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(Set(host.appsWithKey) == Set(apps.map { BundleId($0) }))
            let served = try host.ledger(.production)
            func values() async throws -> [Double?] {
                let head = try await served.ledger.log.head().position
                _ = try await served.laterSnapshot(atLeast: head)
                let text = String(decoding: try await client.get("/metrics").bytes, as: UTF8.self)
                return ["complete_through_seconds", "apps_never_swept"].map { name in
                    let series = "\nsubledger_\(name){environment=\"production\"} "
                    let rest = text.components(separatedBy: series).dropFirst().first
                    return rest?.split(separator: "\n").first.flatMap { Double($0) }
                }
            }
            // An empty log has missed nothing.
            #expect(try await values() == [nil, 0])
            _ = try await served.ledger.log.append([try served.sweep(5_000, 6_000)])
            #expect(try await values() == [6, 2])
            let other = try served.sweep(1_000, 2_000, of: "com.example.other")
            _ = try await served.ledger.log.append([other])
            #expect(try await values() == [2, 1])
        }
    }

    /// These need an App Store client, which router tests do not have.
    private static let ofApple: Set = [
        "subledger_complete_through_seconds", "subledger_reconciled_chains_total",
    ]

    /// What a service exports after an event, a refusal and a query.
    static let exportedText = Task {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let purchase = MadePurchase()
            _ = try await client.notify(purchase.notificationBody())
            // Of an app that is not configured here: genuine, and stored.
            _ = try await client.notify(
                MadePurchase(bundleId: "com.example.other").notificationBody())
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=1")
            return String(decoding: try await client.get("/metrics").bytes, as: UTF8.self)
        }
    }

    @Test("Every exported metric has its help text just before its type")
    func exported() async throws {
        let text = try await MetricMeaningTests.exportedText.value
        let lines = text.split(separator: "\n").map(String.init)
        var names: Set<String> = []
        for (index, line) in lines.enumerated() where line.hasPrefix("# TYPE ") {
            let name = String(line.split(separator: " ")[2])
            names.insert(name)
            let meaning = MetricMeaning.texts[name] ?? "(no text in MetricMeaning)"
            let before = index > 0 ? lines[index - 1] : ""
            #expect(before == "# HELP \(name) \(meaning)")
        }
        let missing = Set(MetricMeaning.texts.keys).subtracting(names)
        #expect(missing == MetricMeaningTests.ofApple, "have a text and are not exported")
    }
}
