import AppStore
import Foundation
import Ledger
import Testing

/// What the clock had made true before somebody began is not news to them, however long nobody had
/// looked; what arrives from that moment on is, however late the feed comes to it.
@Suite("Where those begin who follow from now on")
struct FeedBeginningTests {
    private let chain = MadeChain()
    private let news = MadeChain(id: "500000000000009", start: MadeChain().start(2))

    @Test("A new endpoint, and an event before the feed's first step: the event alone is told")
    func firstStep() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(3)))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let receiver = Receiver()
            let courier = live.courier(receiver)
            #expect(try await courier.step() == false)
            try await live.take([news.bought()])
            try await courier.settle()
            #expect(receiver.taken.map(\.chain) == [news.id])
            // All the same it was told, to whoever reads from the beginning.
            let names = try await live.names()
            #expect(names.contains("expired"))
        }
    }

    @Test("The same at a later start: what came due while no service ran is not news to it")
    func laterStart() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock) { live in
            let names = try await live.names()
            #expect(names == ["started", "autoRenewDisabled"])
        }
        clock.set(chain.start(3))
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let receiver = Receiver()
            let courier = live.courier(receiver)
            #expect(try await courier.step() == false)
            try await live.take([news.bought()])
            try await courier.settle()
            #expect(receiver.taken.map(\.chain) == [news.id])
        }
    }

    @Test("After a rest: neither the events nor the clock of that time, but all that comes")
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
            let told = try await live.changes(after: place)
            #expect(told.map(\.chain.originalTransactionId.rawValue) == [news.id])
            let all = try await live.names()
            #expect(all == ["started", "autoRenewDisabled", "expired", "started"])
        }
    }

    @Test("What the clock brings between that moment and the next step is told")
    func clockAfter() async throws {
        let (place, clock) = (try await LiveFeed.placeOfEnding(chain), ManualClock(chain.start(0)))
        try await LiveFeed.open(place, clock: clock) { live in
            let beginning = try await live.feed.beginning()
            try await live.append([news.bought()])
            try await live.pass(to: chain.start(3))
            let place = try #require(beginning.place)
            let told = try await live.changes(after: place)
            #expect(told.map(\.change.name.rawValue) == ["started", "expired"])
        }
    }

    @Test("Several begin at places of their own, and one that has left holds up nobody")
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

    @Test("A clock that went back makes nobody wait until it is there again")
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
