import AppStore
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import Projection
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
