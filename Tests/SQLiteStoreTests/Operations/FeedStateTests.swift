import AppStore
import Ledger
import LedgerStore
import Signing
import TestSupport
import Testing

@Suite("The feed's clock and webhooks in operational state")
struct FeedStateTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let id = OriginalTransactionId("7")
    private static let chain = ChainId(
        bundleId: BundleId("com.example"), originalTransactionId: id)
    private static let rules = SHA256.hash([9])

    @Test(
        "The feed's clock advances, is read by chain and by place, and goes back",
        arguments: OperationsEngine.all)
    func clock(engine: OperationsEngine) async throws {
        let place = try TemporaryDirectory()
        let store = try await engine.open(place)
        let other = ChainId(
            bundleId: BundleId("com.example"), originalTransactionId: OriginalTransactionId("8"))
        #expect(try await store.feedClock() == nil)
        let ends = (1...3).map {
            ProjectionCursor(position: Int64($0) * 10, leafHash: SHA256.hash([UInt8($0)]))
        }
        for (number, end) in ends.enumerated() {
            let at = Self.start.advanced(byMilliseconds: Int64(number))
            try await store.keepClock(
                end: end, at: at, rules: Self.rules, chains: [Self.chain, other])
        }
        let kept = try #require(try await store.feedClock())
        #expect(kept.end == ends[2] && kept.rules == Self.rules)
        #expect(try await store.readingEnds(before: 30, limit: 9) == [ends[1], ends[0]])
        let without = ChainId(
            bundleId: BundleId("com.example.other"), originalTransactionId: Self.id)
        let readings = try await store.clockReadings(of: [other, without, Self.chain])
        #expect(Set(readings.keys) == [Self.chain, other])
        for (ordinal, chain) in [Self.chain, other].enumerated() {
            let found = (1...3).map { number in
                ClockReading(
                    position: number * 10, at: Self.start.advanced(byMilliseconds: number - 1),
                    ordinal: Int64(ordinal))
            }
            #expect(readings[chain] == found)
        }
        let after = ChangePlace(position: 20, clock: 0, ordinal: 0)
        let found = try await store.clockReadings(after: after, through: 30, limit: 3)
        #expect(found.map(\.reading.position) == [20, 20, 30])
        #expect(found.map(\.chain) == [Self.chain, other, Self.chain])
        try await store.forgetClock(after: ends[0])
        let back = try #require(try await store.feedClock())
        #expect(back.end == ends[0] && back.at == Self.start)
        await store.close()
    }

    private func change(
        _ position: Int64, parkedAt: Timestamp? = nil
    ) -> WaitingChange {
        WaitingChange(
            place: ChangePlace(position: position, clock: 1, ordinal: 2, index: 3),
            chain: Self.chain, attempts: 4, firstAt: Self.start,
            nextAt: Self.start, outcome: "500", parkedAt: parkedAt)
    }

    @Test("Endpoints, waiting and parked changes", arguments: OperationsEngine.all)
    func webhooks(engine: OperationsEngine) async throws {
        let place = try TemporaryDirectory()
        let store = try await engine.open(place)
        var endpoint = WebhookEndpointRow(name: "a", cursor: .end(of: 5))
        #expect(try await store.begin(endpoint) == endpoint)
        var rival = endpoint
        rival.move(to: .beginning)
        #expect(try await store.begin(rival) == endpoint)
        endpoint.move(to: .afterEvent(at: 7))
        endpoint.leafHash = SHA256.hash([7])
        endpoint.disabledAt = Self.start
        endpoint.lastOutcome = "410"
        let changes = (1...4).map {
            change($0, parkedAt: $0 > 2 ? Self.start : nil)
        }
        try await store.keep(endpoint, waiting: changes, done: [])
        #expect(try await store.webhookEndpoint("a") == endpoint)
        #expect(try await store.webhookEndpoint("b") == nil)
        #expect(try await store.waiting(for: "a", limit: 9) == Array(changes[0...1]))
        #expect(try await store.waiting(for: "a", parked: true, limit: 1) == [changes[2]])
        #expect(try await store.waitingCounts(for: "a") == (2, 2))
        // A waiting change is not forgotten as a parked one.
        try await store.forgetParked([changes[0].chainPlace], of: "a")
        #expect(try await store.waitingCounts(for: "a") == (2, 2))
        #expect(try await store.dropParked(for: "a", keeping: 1) == 1)
        #expect(try await store.waiting(for: "a", parked: true, limit: 9) == [changes[3]])
        try await store.forgetParked([changes[3].chainPlace], of: "a")
        let done = [changes[0].chainPlace]
        let isKept = try await store.keep(endpoint, done: done, after: .end(of: 5))
        #expect(!isKept)
        #expect(try await store.waitingCounts(for: "a") == (2, 0))
        try await store.keep(endpoint, done: done, after: .afterEvent(at: 7))
        #expect(try await store.waitingCounts(for: "a") == (1, 0))
        try await store.enableWebhook("a")
        #expect(try await store.webhookEndpoint("a")?.disabledAt == nil)
        await store.close()
    }
}
