import AppStore
import AppStoreAPI
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Signing
import Simulator
import TestSupport
import Testing

@testable import AppleSync
@testable import Intake
@testable import Queries
@testable import Service

/// Concurrent load of original StoreKit bodies on the service.
@Suite("Bodies of original StoreKit, posted")
struct LargeBodyTests {
    private let chain = MadeChain()

    /// A version 1 body of exactly this many bytes, about one period.
    private func body(_ period: Int, byteCount: Int) -> [UInt8] {
        let reported = chain.notificationV1("DID_RENEW", through: period, at: chain.start(period))
        let head = Array(reported.dropLast()) + Array(#","x":""#.utf8)
        let filling = [UInt8](
            repeating: UInt8(ascii: "a"), count: byteCount - head.count - #""}"#.utf8.count)
        return head + filling + Array(#""}"#.utf8)
    }

    @Test("Large version 1 bodies are verified one at a time; small ones do not wait for them")
    func oneAtATime() async throws {
        var place = try TemporaryLedger()
        try place.share()
        let small = body(0, byteCount: NotificationBody.maximumSignedByteCount)
        let large = (1...2).map {
            body($0, byteCount: NotificationBody.maximumSignedByteCount + 1)
        }
        try await place.serve { host in
            let log = try host.ledger(.production).ledger.log
            try await withThrowingTaskGroup(of: Void.self) { posting in
                // As if another one were being verified.
                try await host.largeBodies.pass {
                    for body in large {
                        posting.addTask { _ = try await host.takeNotification(body) }
                    }
                    // Until they wait, or one was accepted without waiting.
                    while host.largeBodies.waitingCount < large.count,
                        try await log.head().position == 0
                    {
                        await Task.yield()
                    }
                    _ = try await host.takeNotification(small)
                    #expect(try await log.head().position == 1)
                    #expect(host.largeBodies.waitingCount == large.count)
                }
                try await posting.waitForAll()
            }
            #expect(try await log.head().position == 3)
            #expect(host.largeBodies.waitingCount == 0)
        }
    }

    @Test("Notification History is requested for an extended renewal, and for no other")
    func extended() async throws {
        let apple = try AskedApple()
        let reported = StoredReceipts.reported
        var extended: String?
        for id in reported.ids(at: AskedApple.now)
        where extended == nil {
            let items =
                try await apple.client.allSubscriptionStatuses(id, in: .only(.production))
                .value.data ?? []
            let isOutlasting = items.flatMap { $0.lastTransactions ?? [] }
                .contains { $0.isOutlasting && $0.originalTransactionId?.rawValue == id }
            if isOutlasting { extended = id }
        }
        let id = try #require(extended)
        #expect(try await histories(about: id) > 0)
        #expect(try await histories(about: #require(AskedApple.longLife)) == 0)
    }

    /// The same receipt is accepted again once the projector has caught up.
    private func settled(_ posted: [UInt8], _ host: LedgerHost) async throws -> ServedAnswer {
        do {
            return try await host.takeReceipt(posted, key: nil, sender: "test")
        } catch ServingError.projectionBehind {
            let ledger = host.ledgers[0]
            let head = try await ledger.ledger.log.head().position
            _ = try await ledger.snapshot(atLeast: head, limit: .seconds(120))
            return try await host.takeReceipt(posted, key: nil, sender: "test")
        }
    }

    /// Posts a receipt of one customer; returns the number of history requests to Apple.
    private func histories(about id: String) async throws -> Int {
        var place = try TemporaryLedger()
        place.configuration.apps = [Configuration.App(bundleId: AskedApple.app)]
        place.configuration.catalogue = .simulated
        place.roots = try TestAuthority.roots.adding(TestAuthority.receipts.rootDER)
        let configuration = place.configuration
        let apple = try AskedApple()
        let receipt = try TestAuthority.receipts.sign(
            #require(StoredReceipts.reported.receipt(of: id, at: AskedApple.now)))
        var json = JSONWriter()
        json.object {
            $0.member("receipt", String(decoding: Base64.standard.encode(receipt), as: UTF8.self))
        }
        let posted = json.bytes
        let verifier = place.verifier
        try await place.serve(at: AskedApple.now) { host in
            host.reach.use(
                [AskedApple.app: apple.client],
                EnvironmentLedgers(
                    configuration, apps: configuration.apps, verifier: verifier,
                    revocation: nil, ledgers: host.ledgers.map(\.ledger)
                ) { AskedApple.now })
            // However long the first opening takes here.
            _ = try await host.ledgers[0].snapshot(limit: .seconds(120))
            let answer = try JSONValue.parse(try await settled(posted, host).bytes)
            #expect(answer["asked"]?["failure"]?.isNull == true)
        }
        let histories = apple.transport.sent.filter { $0.url.contains("/notifications/history") }
        return histories.count
    }
}
