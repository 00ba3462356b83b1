import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Testing

/// Changes that came due after an event arrived and before the feed processed it: without care
/// neither would emit them.
@Suite("Clock changes between an event's arrival and the feed's clock")
struct UnstatedClockTests {
    private let chain = MadeChain()
    private static let reported = ["started", "autoRenewDisabled", "expired"]

    /// No event states the end.
    private var ending: [MadeDelivery] { [chain.bought(), chain.turnedOff(0)] }

    /// A day after auto-renew was turned off.
    private var quiet: Timestamp { chain.start.advanced(byMilliseconds: 11 * 86_400_000) }

    @Test(
        "Old events, few and more than are processed together: every chain is emitted to its end",
        arguments: [10, Int(FeedLimits.newEventCount) / 2 + 1])
    func imported(count: Int) async throws {
        let chains = (0..<count).map {
            MadeChain(
                id: "7000000000\(10_000 + $0)",
                start: chain.start.advanced(byMilliseconds: Int64($0 % 50) * 86_400_000))
        }
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(chain.start(4))) { live in
            try await live.take(
                chains.flatMap { [$0.bought(), $0.turnedOff(0)] }
                    .sorted { $0.receivedAt < $1.receivedAt })
            let changes = try await live.changes()
            #expect(Set(changes.map(\.place)).count == changes.count)
            let lives = Dictionary(grouping: changes, by: \.chain)
            #expect(lives.count == chains.count)
            for life in lives.values {
                #expect(life.map(\.change.name.rawValue) == Self.reported)
                #expect(life.map(\.change.sequence) == [1, 2, 3])
            }
            // Once, however often the feed steps.
            try await live.pass(to: chain.start(5))
            #expect(try await live.changes().map(\.id) == changes.map(\.id))
        }
    }

    @Test("An event that is projected after its period ended")
    func delayed() async throws {
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(quiet)) { live in
            // The feed's clock advances while the projector does not.
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: 60_000))
            try await live.take(ending)
            #expect(try await live.names() == Self.reported)
            #expect(try await live.changes().last?.change.emittedAt == chain.start(1))
        }
    }

    @Test("Events taken in while no feed ran, after its clock had passed their end")
    func restarted() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(2))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take([MadeChain(id: "500000000000009").bought()])
            try await live.pass(to: chain.start(2).advanced(byMilliseconds: 3_600_000))
        }
        _ = try await place.ingest(ending)
        try await LiveFeed.open(place, clock: clock) { live in
            let own = try await live.changes().filter {
                $0.chain.originalTransactionId.rawValue == chain.id
            }
            #expect(own.map(\.change.name.rawValue) == Self.reported)
        }
    }

    @Test("A corrected clock that was ahead: the end is emitted when it comes, not before")
    func aheadOnce() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(2))
        try await LiveFeed.open(place, clock: clock) { live in
            clock.set(quiet)
            try await live.take(ending)
            #expect(try await live.names() == ["started", "autoRenewDisabled"])
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: -1))
            #expect(try await live.names().count == 2)
        }
        // Also in a process that loads the stored clock.
        try await LiveFeed.open(place, clock: clock) { live in
            #expect(try await live.names().count == 2)
            try await live.pass(to: chain.start(1))
            #expect(try await live.names() == Self.reported)
            let changes = try await live.changes()
            #expect(changes.map(\.place) == changes.map(\.place).sorted())
        }
    }

    @Test("After the last event of a clock that was ahead nothing is emitted early")
    func orderWhileBehind() async throws {
        let clock = ManualClock(quiet)
        try await LiveFeed.open(try TemporaryLedger(), clock: clock) { live in
            try await live.take(ending)
            try await live.pass(to: chain.start(1))
            let seen = try await live.changes().map(\.id)
            #expect(seen.count == 3)
            let end = try await live.feed.end()
            try await live.pass(to: quiet)
            #expect(try await live.changes().map(\.id) == seen)
            #expect(try await live.changes(after: end).isEmpty)
        }
    }
}
