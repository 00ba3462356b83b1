import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Testing

@testable import Service
@testable import Web

@Suite("Last arrivals in the log")
struct LastArrivalTests {
    private static let app = BundleId(MadePurchase.app)

    /// One notification, followed by so many events that clients sent an hour later.
    private func serve(
        uploads: Int, _ body: @escaping @Sendable (ServedLedger) async throws -> Void
    ) async throws {
        let clock = ManualClock(ServedPlace.now)
        var place = try ServedPlace.single()
        place.clock = { clock.now }
        let notification = try MadePurchase().notificationBody()
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            #expect(try await client.notify(notification).status == 200)
            clock.set(LastArrivalTests.later)
            let log = try host.ledger(.production).ledger.log
            var left = uploads
            while left > 0 {
                let count = min(left, LogLimits.batchEventCount)
                let events = try (0..<count).map {
                    try LastArrivalTests.upload("\(left - $0)", log)
                }
                _ = try await log.append(events)
                left -= count
            }
            try await body(try host.ledger(.production))
        }
    }

    private static let later = ServedPlace.now.advanced(byMilliseconds: 3_600_000)

    /// Enough of an event for a log, about no chain.
    static func upload(
        _ name: String, _ log: any LedgerLog, at receivedAt: Timestamp = later,
        isClaimed: Bool = false
    ) throws -> NewEvent {
        NewEvent(
            key: EventKey.make(.appTransaction, [name]),
            attributes: EventAttributes(
                kind: .appTransaction, source: .client, trust: .signed, bundleId: app, chain: nil),
            receivedAt: receivedAt, receivedAtClaimed: isClaimed,
            evidence: try log.packer.pack(.verbatim(Array(name.utf8))))
    }

    private func time(
        _ source: EventSource, _ arrivals: [LastArrival]
    ) -> Timestamp? {
        arrivals.first { $0.source == source }?.receivedAt
    }

    @Test("It is found on any page that is read, as is the time of the oldest event read")
    func pages() async throws {
        try await serve(uploads: LogLimits.pageEventCount) { served in
            let found = try await served.lastArrivals(
                of: [LastArrivalTests.app], atMost: 2 * Int64(LogLimits.pageEventCount))
            #expect(time(.webhook, found) == ServedPlace.now)
            #expect(time(.client, found) == LastArrivalTests.later)
            #expect(found.count == 2)
            let known = try await AppArrivals().newest(
                in: served.ledger.log, atMost: Int64(LogLimits.pageEventCount))
            #expect(
                known.apps[LastArrivalTests.app]?.receivedAt == [.client: LastArrivalTests.later])
            #expect(known.oldestAt == LastArrivalTests.later)
        }
    }

    @Test("A time that an import claims stands in for nothing")
    func claimed() async throws {
        try await ServedPlace.single().serve { (_: WebClient, host: LedgerHost) async throws in
            let served = try host.ledger(.production)
            let log = served.ledger.log
            _ = try await log.append([LastArrivalTests.upload("a", log, isClaimed: true)])
            let found = try await served.lastArrivals(of: [LastArrivalTests.app])
            #expect(time(.webhook, found) == nil)
            _ = try await log.append([LastArrivalTests.upload("b", log)])
            let later = try await served.lastArrivals(of: [LastArrivalTests.app])
            #expect(time(.webhook, later) == LastArrivalTests.later)
        }
    }

    @Test("An app that no notification was about has the time of the oldest event")
    func whole() async throws {
        try await serve(uploads: 1) { served in
            let other = BundleId("com.example.other")
            let alone = try await served.lastArrivals(of: [other])
            #expect(time(.webhook, alone) == ServedPlace.now && alone.count == 1)
            let both = try await served.lastArrivals(of: [LastArrivalTests.app, other])
            #expect(both.filter { $0.bundleId == other } == alone)
            #expect(Set(both.map(\.bundleId)) == [LastArrivalTests.app, other])
        }
    }

    @Test("A gauge set meanwhile is not lowered by the log")
    func raised() {
        let registry = MetricRegistry()
        registry.gauge("a").raise(to: 5)
        registry.gauge("a").raise(to: 3)
        #expect(registry.text().contains("\na 5\n"))
        registry.gauge("a").raise(to: 7)
        #expect(registry.text().contains("\na 7\n"))
    }
}
