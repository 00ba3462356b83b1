import AppStore
import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

/// A restored backup that has grown past the feed's clock: the same positions, other events.
@Suite("The change feed over a restored log")
struct RestoredFeedTests {
    private let chain = MadeChain()

    private var eve: Timestamp { chain.start(0).advanced(byMilliseconds: 11 * 86_400_000) }

    /// The chain's customer has cancelled it.
    private var ending: [MadeDelivery] { [chain.bought(), chain.turnedOff(0)] }

    private func other(_ number: Int) -> MadeChain { MadeChain(id: "60000000000000\(number)") }

    private func readings(_ live: LiveFeed) async throws -> [ClockReading] {
        let id = chain.chainId
        return try await live.session.ledger.operations.clockReadings(of: [id])[id] ?? []
    }

    @Test(
        "clock changes of lost events are dropped, and emitted again when they are true")
    func grownPast() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(eve)
        let backup = place.directory.file("feed.backup")
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take(ending)
            try await live.take([other(1).bought()])
        }
        try await Gate.ledgers.pass {
            _ = try await EnvironmentLedger.backUp(
                place.configuration, environment: place.environment, to: backup)
        }
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take([other(2).bought()])
            try await live.pass(to: chain.start(1))
            #expect(try await readings(live).map(\.position) == [4])
            #expect(try await live.names().contains("expired"))
        }
        try await Gate.ledgers.pass {
            _ = try await EnvironmentLedger.restore(
                place.configuration, environment: place.environment, from: backup,
                replaces: true, now: clock.now)
        }
        // Longer than the previous log, before any feed reads it.
        _ = try await place.ingest([other(3).bought(), other(4).bought()])
        try await LiveFeed.open(place, clock: clock) { live in
            let end = try await live.feed.logEnd()
            #expect(end == 5)
            // The end of the period is still true, but no reading of the other log states it.
            let kept = try await readings(live)
            #expect(kept.allSatisfy { $0.position > 4 })
            let reported = try await live.changes().filter { $0.change.isByClock }
            #expect(reported.map(\.place.position) == [5])
            #expect(reported.map(\.change.name) == [.transition(.expired)])
        }
    }

    @Test("readings from before the logs diverged stay")
    func keptBeforeFork() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(eve)
        let stranger = Digest(words: (9, 9, 9, 9))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take(ending)
            try await live.pass(to: chain.start(1))
            try await live.take([other(1).bought(), other(2).bought()])
            let id = try #require(try await live.changes().first?.chain)
            for position in 3...4 as ClosedRange<Int64> {
                try await live.session.ledger.operations.keepClock(
                    end: ProjectionCursor(position: position, leafHash: stranger),
                    at: clock.now.advanced(byMilliseconds: position), rules: stranger,
                    chains: [id])
            }
            #expect(try await readings(live).map(\.position) == [2, 3, 4])
        }
        try await LiveFeed.open(place, clock: clock) { live in
            let kept = try await readings(live)
            #expect(kept.map(\.position) == [2])
            let names = try await live.names()
            #expect(names.filter { $0 == "expired" }.count == 1)
        }
    }
}
