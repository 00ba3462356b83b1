import AppStore
import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Testing

@testable import Queries

@Suite("The change feed")
struct ChangeFeedTests {
    let chain = MadeChain()

    /// A minute before the purchase.
    var eve: Timestamp { chain.start.advanced(byMilliseconds: -60_000) }

    /// Apps that turn auto-renew off, so that the end of the period is expected.
    var ending: [MadeDelivery] { [chain.bought(), chain.turnedOff(0)] }

    @Test(
        "changes whose reader leaves while they are computed are an error, never an empty page",
        arguments: [1, ChangeReader.longChainFactCount])
    func cancelled(count: Int) async throws {
        let chain = chain
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(eve)) { live in
            live.clock.set(chain.start.advanced(byMilliseconds: 86_400_000))
            let toggles = (1...count).map { index -> MadeDelivery in
                let isOn = index.isMultiple(of: 2)
                return chain.notification(
                    .didChangeRenewalStatus, isOn ? .autoRenewEnabled : .autoRenewDisabled, 0,
                    at: chain.start.advanced(byMilliseconds: Int64(index) * 1_000), willRenew: isOn)
            }
            try await live.take([chain.bought()] + toggles)
            let (reader, id) = (live.feed.reader, chain.chainId)
            let reading = Task {
                try await reader.streams(of: [id], through: Int64(count) + 1) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return true
                }
            }
            await #expect(throws: StoreError(.closed, reason: "", remedy: "")) {
                _ = try await reading.value
            }
            // Others are not kept waiting.
            #expect(try await live.changes().count >= count)
        }
    }

    @Test("a read before the first step is repeated after it")
    func askedEarly() async throws {
        let (place, clock) = (try TemporaryLedger(), ManualClock(chain.start(4)))
        _ = try await place.ingest([chain.bought()])
        try await place.session { session in
            let feed = ChangeFeed(ledger: session.ledger, clock: clock) { session.projections }
            let seen = feed.version
            let early = try await feed.page(after: .beginning)
            #expect(early.changes.isEmpty && early.isEnd)
            try await feed.step()
            #expect(feed.version != seen)
            let page = try await feed.page(after: .beginning)
            #expect(!page.changes.isEmpty)
        }
    }

    @Test("events become changes in order, and the clock adds those without an event")
    func clockAdds() async throws {
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(eve)) { live in
            live.clock.set(chain.start(0).advanced(byMilliseconds: 11 * 86_400_000))
            try await live.take(ending)
            #expect(try await live.names() == ["started", "autoRenewDisabled"])
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: -1))
            #expect(try await live.names().count == 2)
            try await live.pass(to: chain.start(1))
            #expect(try await live.names() == ["started", "autoRenewDisabled", "expired"])
            let expired = try #require(try await live.changes().last)
            #expect(expired.change.isByClock)
            #expect(expired.change.emittedAt == chain.start(1))
        }
    }

    @Test("a clock change that another process stored first is read by one that had read the end")
    func storedByOther() async throws {
        // given
        let clock = ManualClock(chain.start(0).advanced(byMilliseconds: 11 * 86_400_000))
        try await LiveFeed.open(try TemporaryLedger(), clock: clock) { live in
            try await live.take(ending)
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: -1))
            let end = try await live.feed.end()
            let early = try await live.changes(after: end)
            #expect(early.isEmpty)
            // when
            let session = live.session
            let other = ChangeFeed(ledger: session.ledger, clock: ManualClock(chain.start(1))) {
                session.projector?.projections ?? session.projections
            }
            try await other.step()
            try await live.pass(to: chain.start(1))
            // then
            let names = try await live.changes(after: end).map(\.change.name.rawValue)
            #expect(names == ["expired"])
        }
    }

    @Test("a clock change is emitted once, also after a restart that looks back")
    func exactlyOnce() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(0).advanced(byMilliseconds: 11 * 86_400_000))
        let before = try await LiveFeed.open(place, clock: clock) { live in
            try await live.take(ending)
            try await live.pass(to: chain.start(1))
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: 3_000))
            return try await live.changes().map(\.place)
        }
        #expect(before.count == 3)
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: 3_600_000))
            #expect(try await live.changes().map(\.place) == before)
        }
    }

    @Test("changes that came due while no process ran are emitted after the start")
    func dueWhileDown() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(0).advanced(byMilliseconds: 11 * 86_400_000))
        try await LiveFeed.open(place, clock: clock) { try await $0.take(ending) }
        clock.set(chain.start(2))
        try await LiveFeed.open(place, clock: clock) { live in
            let last = try #require(try await live.changes().last)
            #expect(last.change.name == .transition(.expired))
            #expect(last.change.emittedAt == chain.start(1))
            #expect(last.place.clock == clock.now.milliseconds)
        }
    }

    @Test("a feed read again has the same bodies and ids, readings lost or not")
    func sameAgain() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(0).advanced(byMilliseconds: 11 * 86_400_000))
        let (ids, bodies) = try await LiveFeed.open(place, clock: clock) { live in
            try await live.take(ending)
            try await live.pass(to: chain.start(1))
            clock.set(chain.start(3))
            try await live.take([
                chain.notification(
                    .subscribed, .resubscribe, 2,
                    at: chain.start(2).advanced(byMilliseconds: 9_000))
            ])
            let changes = try await live.changes()
            return (changes.map(\.id), changes.map { $0.body() })
        }
        #expect(Set(ids).count == ids.count)
        for name in ["", "-wal", "-shm"] {
            let path = "\(place.environmentDirectory)/\(OperationsStore.fileName)\(name)"
            try? FileManager.default.removeItem(atPath: path)
        }
        try await LiveFeed.open(place, clock: clock) { live in
            let again = try await live.changes()
            #expect(again.map(\.id) == ids)
            #expect(again.map { $0.body() } == bodies)
        }
    }

    @Test("any cursor resumes exactly after it")
    func resume() async throws {
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(eve)) { live in
            clockless(live)
            try await live.take(chain.life)
            let other = MadeChain(id: "500000000000009", start: chain.start(0))
            try await live.take(other.life)
            let all = try await live.changes().map(\.place)
            #expect(all == all.sorted())
            for (index, place) in all.enumerated() {
                let rest = try await live.changes(after: place).map(\.place)
                #expect(rest == Array(all[(index + 1)...]))
            }
        }
    }

    private func clockless(_ live: LiveFeed) { live.clock.set(chain.start(4)) }

    @Test("readers never see beyond the horizon, which is the beginning of an empty ledger")
    func horizon() async throws {
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(eve)) { live in
            let (changes, end) = (try await live.changes(), try await live.feed.end())
            #expect(changes.isEmpty && end == .afterEvent(at: 0))
            clockless(live)
            try await live.take([chain.bought()])
            let page = try await live.feed.page(after: .end(of: 5))
            #expect(page.changes.isEmpty && page.isEnd)
            #expect(page.next == .end(of: 5))
        }
    }

    /// The end of the first period, of which only the purchase is known.
    private static let end = """
        {"at":"2026-02-09T12:00:00.000Z","kind":"state","from":"subscribed","to":"expired",\
        "fact":null,"reason":"unconfirmed","productId":"com.example.pro.monthly",\
        "transactionId":"500000000000001","refund":null,"change":null,\
        "cause":{"position":1,"kind":"notification","trust":"signed",\
        "notificationType":"SUBSCRIBED","subtype":"INITIAL_BUY",\
        "notificationUUID":"500000000000001-SUBSCRIBED-0-1768046403000",\
        "signedDate":"2026-01-10T12:00:03.000Z","receivedAt":"2026-01-10T12:00:04.000Z",\
        "lateness":1000,"events":[1]}}
        """

    /// Bodies of changes, without their hashes.
    private static let bodies = [
        // Two hours after the end.
        """
        {"type":"expired","timestamp":"2026-02-09T14:00:00.000Z",\
        "data":{"environment":"Production","bundleId":"com.example.app",\
        "originalTransactionId":"500000000000001","sequence":2,"stateHash":"…",\
        "previous":{"sequence":1,"stateHash":"…"},"position":1,"byClock":true,\
        "reducerVersion":\(Lifecycle.reducerVersion),"catalogueHash":"…","entry":\(end),\
        "withdrawn":[],\
        "subscription":{"state":"expired","entitled":false,"appleStatus":2,\
        "since":"2026-02-09T12:00:00.000Z","until":null,"accessUntil":null,"willRenew":true,\
        "productId":"com.example.pro.monthly","nextProductId":null,"phase":"standard",\
        "ownership":"purchased","appAccountToken":null,"appAccountTokenTrust":null,\
        "price":{"milliunits":9990,"currency":"USD"},"storefront":"USA",\
        "transactionId":"500000000000001","offer":null,"commitment":null,"priceIncrease":null,\
        "cancellation":null,"revocation":null,"endReason":"unconfirmed"}}}
        """,
        // A day after the end.
        """
        {"type":"corrected","timestamp":"2026-02-10T12:00:00.000Z",\
        "data":{"environment":"Production","bundleId":"com.example.app",\
        "originalTransactionId":"500000000000001","sequence":3,"stateHash":"…",\
        "previous":{"sequence":2,"stateHash":"…"},"position":2,"byClock":false,\
        "reducerVersion":\(Lifecycle.reducerVersion),"catalogueHash":"…","entry":null,\
        "withdrawn":[\(end)],\
        "subscription":{"state":"renewing","entitled":true,"appleStatus":1,\
        "since":"2026-02-09T12:00:00.000Z","until":"2026-03-11T12:00:00.000Z",\
        "accessUntil":"2026-03-11T12:00:00.000Z","willRenew":true,\
        "productId":"com.example.pro.monthly","nextProductId":null,"phase":"standard",\
        "ownership":"purchased","appAccountToken":null,"appAccountTokenTrust":null,\
        "price":{"milliunits":9990,"currency":"USD"},"storefront":"USA",\
        "transactionId":"5000000000000011","offer":null,"commitment":null,"priceIncrease":null,\
        "cancellation":null,"revocation":null,"endReason":null}}}
        """,
        // An hour before the next period.
        """
        {"type":"updated","timestamp":"2026-03-11T11:00:01.000Z",\
        "data":{"environment":"Production","bundleId":"com.example.app",\
        "originalTransactionId":"500000000000001","sequence":6,"stateHash":"…",\
        "previous":{"sequence":5,"stateHash":"…"},"position":3,"byClock":false,\
        "reducerVersion":\(Lifecycle.reducerVersion),"catalogueHash":"…","entry":null,\
        "withdrawn":[],\
        "subscription":{"state":"renewing","entitled":true,"appleStatus":1,\
        "since":"2026-02-09T12:00:00.000Z","until":"2026-04-10T12:00:00.000Z",\
        "accessUntil":"2026-04-10T12:00:00.000Z","willRenew":true,\
        "productId":"com.example.pro.monthly","nextProductId":null,"phase":"standard",\
        "ownership":"purchased","appAccountToken":null,"appAccountTokenTrust":null,\
        "price":{"milliunits":9990,"currency":"USD"},"storefront":"USA",\
        "transactionId":"5000000000000011","offer":null,"commitment":null,"priceIncrease":null,\
        "cancellation":null,"revocation":null,"endReason":null}}}
        """,
    ]

    @Test("the bodies of an end by the clock, its correction by a late renewal, and an early one")
    func bodies() async throws {
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(eve)) { live in
            // given
            let early = chain.notification(
                .didRenew, nil, 2, at: chain.start(2).advanced(byMilliseconds: -3_600_000))
            var late = chain.renewed(1)
            late.receivedAt = chain.start(1).advanced(byMilliseconds: 86_400_000)
            // when
            live.clock.set(chain.bought().receivedAt)
            try await live.take([chain.bought()])
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: 3 * 3_600_000))
            for renewal in [late, early] {
                live.clock.set(renewal.receivedAt)
                try await live.take([renewal])
            }
            // then
            let changes = try await live.changes()
            let names = changes.map(\.change.name.rawValue)
            try #require(
                names == ["started", "expired", "corrected", "continued", "renewed", "updated"])
            let bodies = [1, 2, 5].map { place in
                String(decoding: changes[place].body(), as: UTF8.self)
                    .replacing(#/[0-9a-f]{64}/#, with: "…")
            }
            #expect(bodies == ChangeFeedTests.bodies)
        }
    }

    @Test("A step that fails again and again is reported once")
    func failing() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(0))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.append(ending)
            let log = place.environmentDirectory + "/log.sqlite"
            try FileManager.default.moveItem(atPath: log, toPath: log + ".moved")
            let (reported, continuation) = AsyncStream.makeStream(of: StoreError.Code.self)
            live.feed.beginInterest()
            let running = Task { [feed = live.feed] in
                await feed.run { continuation.yield($0.code) }
                continuation.finish()
            }
            while clock.waits.count < 5 { await Task.yield() }
            running.cancel()
            var codes: [StoreError.Code] = []
            for await code in reported { codes.append(code) }
            #expect(codes == [.fileReplaced])
            try FileManager.default.moveItem(atPath: log + ".moved", toPath: log)
        }
    }

    @Test("restoring an earlier log restores its readings")
    func shorterLog() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(0).advanced(byMilliseconds: 11 * 86_400_000))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take(ending)
            try await live.session.ledger.operations.keepClock(
                end: ProjectionCursor(position: 900, leafHash: Digest(words: (9, 9, 9, 9))),
                at: clock.now, rules: Digest(words: (9, 9, 9, 9)),
                chains: [live.changes()[0].chain])
        }
        try await LiveFeed.open(place, clock: clock) { live in
            let chain = try #require(try await live.changes().first?.chain)
            let readings = try await live.session.ledger.operations.clockReadings(of: [chain])
            #expect(readings[chain] == nil)
        }
    }
}
