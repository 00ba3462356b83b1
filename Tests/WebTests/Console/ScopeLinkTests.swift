import AppStore
import HTTPTypes
import LedgerStore
import Projection
import Service
import Testing

@testable import Web

@Suite("Links of the console")
struct ScopeLinkTests {
    private static let home = "/console/production"
    private let purchase = MadePurchase()

    @Test("No page leads to one that its viewer may not see")
    func allowed() async throws {
        let viewers: [(name: String, scopes: [Scope])] = [
            ("supporter", [.support]), ("analyst", [.reports]), ("admin", [.admin]),
            ("writer", [.write]), ("reader", [.read]), ("lead", [.support, .write, .admin]),
        ]
        var place = try ServedPlace()
        place.configuration.server.tokens = viewers.map { .init($0.name, $0.scopes) }
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0...2 {
                let posted = try await client.notify(purchase.notificationBody(period))
                #expect(posted.status == 200)
            }
            var foreign = purchase
            foreign.bundleId = "com.example.foreign"
            let kept = try await client.notify(foreign.notificationBody(0))
            #expect(kept.status == 503)
            _ = try await host.ledger(.production).snapshot(atLeast: 3, limit: .seconds(120))
            try await host.ledger(.production).ledger.operations.endRecovery(
                "a",
                keeping: StoredReport(
                    bundleId: BundleId(MadePurchase.app), endedAt: ServedPlace.now,
                    isFlawed: false, json: "{}", text: "Recovered."))
            for (name, _) in viewers {
                let session = try await ConsoleAccessTests.signIn(client, name)
                try await follow(client, [.cookie: try #require(session)], name)
            }
        }
    }

    /// Follows every link that this viewer sees.
    private func follow(
        _ client: WebClient, _ cookie: HTTPFields, _ viewer: String
    ) async throws {
        var waiting = [
            "", "subscriptions/\(purchase.id)", "find?q=nosuch", "intake", "events/1",
            "quarantine", "recoveries",
            "reports/churn?from=2026-01-01", "reports/churn?from=2026-01-01&knownPosition=1",
            "reports/diff?from=2026-01-01&knownPosition=1",
        ].map { (path: "\(ScopeLinkTests.home)/\($0)", isLinked: false) }
        var seen: Set<String> = []
        while let (path, isLinked) = waiting.popLast() {
            // Of linked pages one for each path.
            let name = isLinked ? String(path.prefix { $0 != "?" }) : path
            guard !seen.contains(name) else { continue }
            let page = try await client.get(path, cookie)
            guard page.status != 403 else {
                #expect(!isLinked, "\(viewer): \(path)")
                continue
            }
            seen.insert(name)
            guard page.headers[.contentType]?.hasPrefix("text/html") ?? false else { continue }
            waiting += ScopeLinkTests.links(page.text).map { (path: $0, isLinked: true) }
        }
        #expect(!seen.isEmpty, "\(viewer)")
    }

    /// Where the links and forms of a page lead, within the environment. Those of cells are
    /// relative to the folder of reports.
    static func links(_ text: String) -> [String] {
        ["href=\"", "action=\""].flatMap { name in
            text.split(separator: name).dropFirst().map { part in
                let link = String(
                    part.prefix { $0 != "\"" && $0 != "#" }.replacing("&amp;", with: "&"))
                let isOfCell = link.contains("/cell?") && !link.hasPrefix("/")
                return isOfCell ? "\(home)/reports/\(link)" : link
            }
        }.filter { $0.hasPrefix("\(home)/") && !$0.contains("tz=") }
    }
}
