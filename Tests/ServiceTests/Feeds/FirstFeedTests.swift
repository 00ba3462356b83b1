import AppStore
import Foundation
import Ledger
import LedgerTestSupport
import Queries
import Testing

/// A ledger that was filled long before it had a subscriber, or that lost the file with its feed
/// clock.
@Suite("The first change feed of a ledger")
struct FirstFeedTests {
    private let chain = MadeChain()

    /// The customer had cancelled, and no event states the end.
    private func filled() async throws -> (TemporaryLedger, ManualClock) {
        (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
    }

    @Test("Changes that came due before any subscription are emitted once, also after a restart")
    func overdue() async throws {
        let (place, clock) = try await filled()
        let first = try await LiveFeed.open(place, clock: clock) { live in
            #expect(try await live.names() == ["started", "autoRenewDisabled", "expired"])
            return try await live.changes().map(\.id)
        }
        clock.advance(byMilliseconds: 3_600_000)
        let again = try await LiveFeed.open(place, clock: clock) { live in
            try await live.changes().map(\.id)
        }
        #expect(again == first)
    }

    @Test("Without the stored clock they are emitted again, with the same sequence and state")
    func lostClock() async throws {
        let (place, clock) = try await filled()
        let first = try await LiveFeed.open(place, clock: clock) { try await $0.changes() }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(
                atPath: "\(place.environmentDirectory)/operations.sqlite\(suffix)")
        }
        clock.advance(byMilliseconds: 3_600_000)
        let again = try await LiveFeed.open(place, clock: clock) { try await $0.changes() }
        #expect(again.map(\.change.sequence) == first.map(\.change.sequence))
        #expect(again.map(\.change.name) == first.map(\.change.name))
        #expect(again.map(\.change.stateHash) == first.map(\.change.stateHash))
    }

    @Test("An endpoint that starts then does not get them: it starts with later changes")
    func endpointBegins() async throws {
        let (place, clock) = try await filled()
        try await LiveFeed.open(place, clock: clock) { live in
            let receiver = Receiver()
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            #expect(receiver.tried.isEmpty)
            try await live.take([MadeChain(id: "500000000000009", start: chain.start(2)).bought()])
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == ["500000000000009"])
        }
    }
}
