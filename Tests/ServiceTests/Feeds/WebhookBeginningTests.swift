import AppStore
import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Service
import Testing

/// Events that a service confirmed are delivered to its endpoints, even if the service ends before
/// its feed steps.
@Suite("The start of new endpoints")
struct WebhookBeginningTests {
    private let chain = MadeChain()
    private let news = MadeChain(id: "500000000000009", start: MadeChain().start(2))

    /// The feed of another process on the same directory.
    private func otherFeed(_ live: LiveFeed) -> ChangeFeed {
        let session = live.session
        return ChangeFeed(ledger: session.ledger, clock: live.clock) {
            session.projector?.projections ?? session.projections
        }
    }

    private func row(_ live: LiveFeed) async throws -> WebhookEndpointRow? {
        try await live.session.ledger.operations.webhookEndpoint("books")
    }

    // MARK: Restarts

    @Test("A service that ends before the feed's first step loses nothing")
    func endsBeforeFirstStep() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
        let receiver = Receiver()
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            await live.dispatcher(receiver).begin()
            try await live.append([news.bought()])
            #expect(live.feed.horizon == nil)
        }
        clock.advance(byMilliseconds: 60_000)
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let webhook = live.webhook(receiver)
            #expect(try await webhook.step() == false)
            try await live.feed.step()
            try await webhook.deliverAll()
            // Nor is the other chain's end delivered, which was old by then.
            #expect(receiver.taken.map(\.chain) == [news.id])
            #expect(receiver.taken.map(\.type) == ["started"])
        }
    }

    @Test("Clock changes while no service ran are delivered to an endpoint that had started")
    func clockWhileDown() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        let receiver = Receiver()
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            await live.dispatcher(receiver).begin()
        }
        clock.set(chain.start(3))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let webhook = live.webhook(receiver)
            _ = try await webhook.step()
            try await live.feed.step()
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.type) == ["expired"])
        }
    }

    @Test("Restarts before the first step leave the endpoint's start unchanged")
    func severalStarts() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        let receiver = Receiver()
        var first: WebhookEndpointRow?
        for _ in 0..<3 {
            try await LiveFeed.open(place, clock: clock, begins: false) { live in
                await live.dispatcher(receiver).begin()
                if first == nil { first = try await row(live) }
                #expect(try await row(live) == first)
                #expect(first?.cursor.position == 2)
                try await live.append([
                    MadeChain(id: "60000000000000\(try await live.feed.logEnd())").bought()
                ])
            }
            clock.advance(byMilliseconds: 60_000)
        }
    }

    @Test("A clock that went back over a restart loses nothing")
    func clockBack() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
        let receiver = Receiver()
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            await live.dispatcher(receiver).begin()
            try await live.append([news.bought()])
        }
        clock.set(chain.start(3).advanced(byMilliseconds: -60_000))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let webhook = live.webhook(receiver)
            _ = try await webhook.step()
            try await live.feed.step()
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == [news.id])
        }
    }

    // MARK: Several processes

    @Test("Of two services the first decides an endpoint's start")
    func firstDecides() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let receiver = Receiver()
            await live.dispatcher(receiver).begin()
            let first = try await row(live)
            try await live.append([news.bought()])
            clock.advance(byMilliseconds: 1_000)

            let feed = otherFeed(live)
            let second = live.dispatcher(receiver, feed: feed)
            await second.begin()
            #expect(try await row(live) == first)
            try await feed.step()
            let running = Task { await second.run() }
            try await live.wait { !receiver.taken.isEmpty }
            #expect(receiver.taken.map(\.chain) == [news.id])
            running.cancel()
            await running.value
        }
    }

    @Test("An endpoint added while another service delivered gets what that one passed")
    func rolling() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock) { live in
            let (old, new) = (Receiver(), Receiver())
            let first = live.dispatcher(old, ["old"])
            await first.begin()
            let running = Task { await first.run() }
            let feed = otherFeed(live)
            let second = live.dispatcher(new, ["new"], feed: feed)
            await second.begin()
            // The first one's feed passes the other endpoint's start, and stores its clock.
            try await live.take([news.bought()])
            try await live.pass(to: chain.start(3))
            let reported = try await live.changes(after: .afterEvent(at: 2)).map(\.id)
            #expect(reported.count > 1)
            try await live.wait { old.taken.count >= reported.count }
            #expect(new.tried.isEmpty)
            running.cancel()
            await running.value

            let next = Task { await second.run() }
            try await feed.step()
            try await live.wait { new.taken.count >= reported.count }
            #expect(Set(new.taken.map(\.id)) == Set(reported))
            next.cancel()
            await next.value
        }
    }

    // MARK: Failures

    /// Runs `body` while the environment's `operations.sqlite` is away.
    private func withoutOperations(_ live: LiveFeed, _ body: () async throws -> Void) async throws {
        let path = live.session.ledger.operations.location
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try await body()
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    }

    @Test("A start that cannot be stored is reported, and holds while the process runs")
    func notWritten() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let (receiver, notes) = (Receiver(), NoteBook())
            let webhook = live.webhook(receiver)
            try await withoutOperations(live) {
                await #expect(throws: StoreError.self) { try await webhook.step() }
                await live.dispatcher(receiver, notes: notes).begin()
                #expect(notes.texts.count == 1)
            }

            #expect(try await row(live) == nil)
            try await live.append([news.bought()])
            #expect(try await webhook.step() == false)
            #expect(try await row(live)?.cursor.position == 2)
            try await live.feed.step()
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == [news.id])
        }
    }

    @Test("An endpoint that had started resumes there, though it could not be read at the start")
    func notRead() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
        let receiver = Receiver()
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            await live.dispatcher(receiver).begin()
            try await live.append([news.bought()])
        }
        clock.advance(byMilliseconds: 60_000)
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let webhook = live.webhook(receiver)
            try await withoutOperations(live) {
                await #expect(throws: StoreError.self) { try await webhook.step() }
            }
            #expect(try await webhook.step() == false)
            #expect(try await row(live)?.cursor.position == 2)
            try await live.feed.step()
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == [news.id])
        }
    }

    @Test("A start beyond a restored log is reported, and blocks neither feed nor clock")
    func beyondLog() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let gone = ChangePlace(
                position: 900, clock: clock.now.milliseconds, ordinal: .max, index: .max)
            try await live.session.ledger.operations.keep(
                WebhookEndpointRow(name: "books", cursor: gone))
            let (receiver, notes) = (Receiver(), NoteBook())
            let webhook = live.webhook(receiver, notes: notes)
            _ = try await webhook.step()
            try await live.feed.step()
            try await webhook.deliverAll()
            #expect(notes.codes == ["webhookCursorBeyondLog"])
            #expect(notes.texts.contains { $0.contains("900") })
            try await live.pass(to: chain.start(3))
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.type) == ["expired"])
        }
    }
}
