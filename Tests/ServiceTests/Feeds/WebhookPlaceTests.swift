import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Service
import Signing
import TestSupport
import Testing

@Suite("Cursors of webhooks")
struct WebhookPlaceTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "500000000000009")

    /// In the leeway after the first period, where the clock causes no change.
    private var late: Timestamp { chain.start(1).advanced(byMilliseconds: 3_600_000) }

    private func open(_ body: (LiveFeed) async throws -> Void) async throws {
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(late), body)
    }

    // MARK: Another log

    @Test(
        "A restored log that has grown past the cursor is reported, and delivery goes on at its end"
    )
    func grownPast() async throws {
        try await open { live in
            let receiver = Receiver()
            try await live.webhook(receiver).deliverAll()
            try await live.take(chain.life)
            try await live.webhook(receiver).deliverAll()
            let operations = live.session.ledger.operations
            var row = try #require(try await operations.webhookEndpoint("books"))
            #expect(row.leafHash != nil)
            // As if another event had been there when the cursor was stored.
            row.leafHash = SHA256.hash([1])
            try await operations.keep(row)
            try await live.take([other.bought()])
            receiver.forget()

            let notes = NoteBook()
            let webhook = live.webhook(receiver, notes: notes)
            try await webhook.deliverAll()
            #expect(notes.texts.contains { $0.contains("another log") })
            #expect(receiver.taken.isEmpty)
            try await live.take([other.renewed(1)])
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.type) == ["continued", "renewed"])
            let kept = try #require(try await operations.webhookEndpoint("books"))
            let leaf = try await live.session.ledger.log.event(at: kept.cursor.position)
            #expect(kept.leafHash == leaf?.event.leafHash)
        }
    }

    @Test("A cursor stored without a hash, and one at the beginning, resume where they are")
    func withoutHash() async throws {
        try await open { live in
            let receiver = Receiver()
            try await live.webhook(receiver).deliverAll()
            let operations = live.session.ledger.operations
            let empty = try #require(try await operations.webhookEndpoint("books"))
            #expect(empty.leafHash == nil)
            try await live.take([chain.bought()])
            try await live.webhook(receiver).deliverAll()
            #expect(receiver.taken.map(\.type) == ["started"])
            var row = try #require(try await operations.webhookEndpoint("books"))
            row.leafHash = nil
            try await operations.keep(row)
            try await live.take([chain.renewed(1)])
            let notes = NoteBook()
            try await live.webhook(receiver, notes: notes).deliverAll()
            #expect(notes.texts.isEmpty)
            #expect(receiver.taken.map(\.type) == ["started", "continued", "renewed"])
        }
    }

    @Test("A failover that lost the cursor stored last loses no change that waited with it")
    func lostCursor() async throws {
        try await open { live in
            // given: a change that waits, in the store as well
            let rejected = other.id
            let receiver = Receiver {
                $0.chain == rejected ? .answered(status: 500) : .answered(status: 204)
            }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            let operations = live.session.ledger.operations
            let before = try #require(try await operations.webhookEndpoint("books"))
            try await live.take([other.bought()])
            try await webhook.deliverAll()
            let waiting = try await operations.waiting(for: "books", limit: .max)
            #expect(waiting.map(\.chain.originalTransactionId.rawValue) == [other.id])
            // when: the standby had neither
            try await operations.keep(before, done: waiting.map(\.chainPlace))
            try await live.take([MadeChain(id: "500000000000010").bought()])
            let running = Task { await webhook.run() }
            try await live.wait {
                try await operations.webhookEndpoint("books")?.cursor.position == 3
            }
            running.cancel()
            await running.value
            // then
            let kept = try await operations.waiting(for: "books", limit: .max)
            #expect(kept.map(\.chainPlace) == waiting.map(\.chainPlace))
            #expect(receiver.taken.map(\.chain).contains("500000000000010"))
        }
    }

    @Test("A cursor that moved past filtered changes belongs to the same log after a restart")
    func quietEvents() async throws {
        let (place, clock) = (try TemporaryLedger(), ManualClock(chain.start(4)))
        let started = WebhookEndpoint.test(types: [.transition(.started)])
        try await LiveFeed.open(place, clock: clock) { live in
            let receiver = Receiver { _ in .answered(status: 500) }
            let webhook = live.webhook(receiver, started)
            try await webhook.deliverAll()
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            // Nothing that this endpoint's filter admits; the cursor moves all the same.
            try await live.take([chain.turnedOff(0)])
            try await webhook.deliverAll()
            receiver.answer { _ in .answered(status: 200) }
            try await live.pass(to: live.clock.now.advanced(byMilliseconds: 60_000))
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.type) == ["started"])
        }
        // While no service runs.
        _ = try await place.ingest([other.bought()])
        try await LiveFeed.open(place, clock: clock) { live in
            let (receiver, notes) = (Receiver(), NoteBook())
            let webhook = live.webhook(receiver, started, notes: notes)
            try await webhook.deliverAll()
            #expect(notes.texts.isEmpty)
            #expect(receiver.taken.map(\.chain) == [other.id])
        }
    }

    // MARK: Several processes

    @Test("Of two services on one directory one delivers; the other takes over when it ends")
    func one() async throws {
        try await open { live in
            let operations = live.session.ledger.operations
            let (first, second) = (Receiver(), Receiver())
            let (one, two) = (live.dispatcher(first), live.dispatcher(second))
            let running = Task { await one.run() }
            try await live.wait { try await operations.webhookEndpoint("books") != nil }
            let waiting = Task { await two.run() }
            try await live.take(chain.life)
            let reported = try await live.changes().map(\.id)
            try await live.wait { first.taken.count >= reported.count }
            #expect(first.taken.map(\.id) == reported)
            #expect(second.tried.isEmpty)

            running.cancel()
            await running.value
            try await live.take([other.bought()])
            try await live.wait { !second.taken.isEmpty }
            #expect(second.taken.map(\.type) == ["started"])
            #expect(first.taken.count == reported.count)
            waiting.cancel()
            await waiting.value
        }
    }

    @Test("An endpoint whose state cannot be stored is tried less and less often")
    func storeFails() async throws {
        try await open { live in
            try await live.take(chain.life)
            let webhook = live.webhook(Receiver())
            await live.session.ledger.operations.close()
            let running = Task { await webhook.run() }
            try await live.wait { live.clock.waits.count >= 8 }
            running.cancel()
            await running.value
            #expect(
                live.clock.waits.prefix(8)
                    == [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000])
        }
    }

    @Test("A lease of one task excludes that task only, and ends with its holder")
    func lease() async throws {
        let directory = try TemporaryDirectory()
        let store = try await OperationsStore.open(directory: directory.path)
        var held = try await store.lease(.webhooks)
        #expect(held != nil)
        #expect(try await store.lease(.webhooks) == nil)
        #expect(try await store.lease(.recovery) != nil)
        held = nil
        // A process that another test is starting may inherit the lock for longer than a moment.
        while held == nil { held = try await store.lease(.webhooks) }
        withExtendedLifetime(held) {}
        await store.close()
    }
}
