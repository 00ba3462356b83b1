import AppStore
import Foundation
import Ledger
import LedgerTestSupport
import Queries
import Service
import Testing

/// Clock changes from before a subscription started are not emitted to it, even if the feed was
/// idle; later events are, however late the feed reaches them.
@Suite("The start of new subscriptions")
struct FeedBeginningTests {
    private let chain = MadeChain()
    private let news = MadeChain(id: "500000000000009", start: MadeChain().start(2))

    @Test("A new endpoint, and an event before the feed's first step: only the event is delivered")
    func firstStep() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let receiver = Receiver()
            let webhook = live.webhook(receiver)
            #expect(try await webhook.step() == false)
            try await live.take([news.bought()])
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == [news.id])
            // The older change was still emitted for readers from the beginning.
            let names = try await live.names()
            #expect(names.contains("expired"))
        }
    }

    @Test("The same at a later start: changes that came due while no service ran are not delivered")
    func laterStart() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock) { live in
            let names = try await live.names()
            #expect(names == ["started", "autoRenewDisabled"])
        }
        clock.set(chain.start(3))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let receiver = Receiver()
            let webhook = live.webhook(receiver)
            #expect(try await webhook.step() == false)
            try await live.take([news.bought()])
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.chain) == [news.id])
        }
    }

    @Test("After an idle period: neither its events nor its clock changes, but everything later")
    func rest() async throws {
        let (place, clock) = (try TemporaryLedger(), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take([chain.bought()])
            try await live.append([chain.turnedOff(0)])
            clock.set(chain.start(3))
            let beginning = try await live.feed.beginning()
            #expect(beginning.place == nil)
            try await live.append([news.bought()])
            try await live.feed.step()
            let place = try #require(beginning.place)
            let reported = try await live.changes(after: place)
            #expect(reported.map(\.chain.originalTransactionId.rawValue) == [news.id])
            let all = try await live.names()
            #expect(all == ["started", "autoRenewDisabled", "expired", "started"])
        }
    }

    @Test("Clock changes between that moment and the next step are delivered")
    func clockAfter() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock) { live in
            let beginning = try await live.feed.beginning()
            try await live.append([news.bought()])
            try await live.pass(to: chain.start(3))
            let place = try #require(beginning.place)
            let reported = try await live.changes(after: place)
            #expect(reported.map(\.change.name.rawValue) == ["started", "expired"])
        }
    }

    @Test("Several start at their own places, and one that left blocks none")
    func several() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock) { live in
            let first = try await live.feed.beginning()
            _ = try await live.feed.beginning()
            try await live.append([news.bought()])
            let second = try await live.feed.beginning()
            try await live.feed.step()
            #expect(first.place?.position == 2)
            #expect(second.place?.position == 3)
            #expect(live.feed.horizon == 3)
        }
    }

    @Test("A clock that went back delays no start")
    func clockBack() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
        try await LiveFeed.open(place, clock: clock) { live in
            let beginning = try await live.feed.beginning()
            clock.set(chain.start(2))
            try await live.feed.step()
            #expect(beginning.place != nil)
        }
    }
}
