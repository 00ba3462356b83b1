import AppStore
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Service
import Testing

@testable import Web

/// A tag covers the whole answer, except the time and position of the query.
@Suite("Entity tags")
struct TagTests {
    private let token = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"

    private var purchase: MadePurchase { MadePurchase(appAccountToken: token) }

    private var paths: [String] {
        [
            "/v1/customers/\(token)/entitlements", "/v1/customers/\(token)/timeline",
            "/v1/customers/\(token)/subscriptions", "/v1/subscriptions/\(purchase.id)",
            "/v1/subscriptions/\(purchase.id)/timeline",
            "/v1/metrics/churn?from=2026-01-01&to=2026-02-01&interval=month",
        ]
    }

    @Test("Another catalogue changes the tag, even if the answer about the customer is the same")
    func catalogue() async throws {
        var place = try ServedPlace()
        let tags = try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
            return try await TagTests.tags(paths, client, atLeast: 1)
        }
        // Of a product without purchases.
        place.configuration.catalogue.products[ProductId("com.example.other")] = Catalogue.Product(
            entitlements: ["other"])
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            _ = try await TagTests.tags(paths, client, atLeast: 1)
            for (path, tag) in zip(paths, tags) {
                let answer = try await client.get(path, [.ifNoneMatch: tag])
                #expect(answer.status == 200, "\(path)")
                #expect(answer.headers[.eTag] != tag, "\(path)")
            }
        }
    }

    @Test("The confirmed completeness is part of the answer, and so of its tag")
    func complete() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
            let tags = try await TagTests.tags(paths, client, atLeast: 1)
            let served = try host.ledger(.production)
            let sweep = try served.sweep(1_770_000_000_000, ServedPlace.now.milliseconds)
            _ = try await served.ledger.log.append([sweep])
            _ = try await TagTests.tags(paths, client, atLeast: 2)
            for (path, tag) in zip(paths, tags) {
                let answer = try await client.get(path, [.ifNoneMatch: tag])
                #expect(answer.status == 200, "\(path)")
                #expect(answer.json["completeThrough"]?.string != nil || path.contains("timeline"))
                let again = try await client.get(
                    path, [.ifNoneMatch: try #require(answer.headers[.eTag])])
                #expect(again.status == 304, "\(path)")
            }
        }
    }

    @Test("The tag of a status does not depend on its time")
    func status() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let status = try await host.status(.production)
            var json = JSONWriter()
            json.isStamped = false
            status.write(to: &json)
            let content = try JSONValue.parse(json.bytes)
            #expect(content["at"] == nil && content["ready"]?.bool == true)
            let answer = try host.answer(status, .production)
            #expect(answer.entityTag == ServedAnswer.entityTag(of: json.bytes))
            #expect(try JSONValue.parse(answer.bytes)["at"]?.string == ServedPlace.now.rfc3339)
        }
    }

    @Test("Reports until now keep their tags while nothing but their end changes")
    func openReports() async throws {
        let clock = ManualClock(ServedPlace.now)
        var place = try ServedPlace()
        place.clock = { clock.now }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
            let open = ["churn", "active", "renewals", "retention"]
                .map { "/v1/metrics/\($0)?from=2026-01-01&interval=month" }
            let offers = "/v1/metrics/retention-offers?from=2026-01-01"
            let paths =
                open + [
                    "\(open[0])&definitions=revenuecat", "\(open[0])&to=2099-01-01", offers,
                ]
            let tags = try await TagTests.tags(paths, client, atLeast: 1)
            let ends = try await client.get(open[0]).json["rows"]
            let end = try await client.get(offers).json["to"]
            clock.set(ServedPlace.now.advanced(byMilliseconds: 1_000))
            #expect(try await client.get(open[0]).json["rows"] != ends)
            #expect(try await client.get(offers).json["to"] != end)
            for (path, tag) in zip(paths, tags) {
                #expect(try await client.get(path, [.ifNoneMatch: tag]).status == 304, "\(path)")
            }
            let ended = try await client.get("\(open[0])&to=2026-01-02", [.ifNoneMatch: tags[0]])
            #expect(ended.status == 200)
            let bounded = try await client.get("\(offers)&to=2026-02-01")
            #expect(bounded.headers[.eTag] != tags.last)
        }
    }

    private static func tags(
        _ paths: [String], _ client: WebClient, atLeast position: Int64
    ) async throws -> [String] {
        var tags: [String] = []
        for path in paths {
            let mark = path.contains("?") ? "&" : "?"
            let answer = try await client.ask("\(path)\(mark)minPosition=\(position)")
            #expect(answer.status == 200, "\(path)")
            tags.append(try #require(answer.headers[.eTag]))
        }
        return tags
    }

}

extension ServedLedger {
    /// A finished recovery of what Apple sent about an app in a window.
    func sweep(
        _ from: Int64, _ through: Int64, of app: String = MadePurchase.app
    ) throws -> NewEvent {
        let sweep = Sweep(
            bundleId: BundleId(app), from: Timestamp(milliseconds: from),
            through: Timestamp(milliseconds: through), requestedAt: ServedPlace.now,
            startPosition: 1, fetchedCount: 1)
        return NewEvent(
            key: EventKey.make(.sweep, [app]),
            attributes: EventAttributes(
                kind: .sweep, source: .history, trust: .transport, bundleId: sweep.bundleId,
                chain: nil),
            receivedAt: ServedPlace.now, receivedAtClaimed: false,
            evidence: try ledger.log.packer.pack(.verbatim(sweep.evidence)))
    }
}
