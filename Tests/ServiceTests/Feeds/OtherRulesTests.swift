import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Service
import Simulator
import Testing

/// A feed that goes on with another catalogue than the one by which its clock emitted.
@Suite("The change feed after a change of the catalogue")
struct OtherRulesTests {
    private static let hour: Int64 = 3_600_000
    private let chain = MadeChain()
    private let other = MadeChain(id: "500000000000009")

    private func made(leeway: Int64) throws -> TemporaryLedger {
        var place = try TemporaryLedger()
        place.configuration.catalogue.leewayMilliseconds = leeway
        return place
    }

    /// The names of one chain's changes.
    private func names(_ live: LiveFeed, of chain: MadeChain) async throws -> [String] {
        try await live.changes().filter { $0.chain == live.place.chain(chain.id) }
            .map(\.change.name.rawValue)
    }

    /// The time stored for the clock after the first step of a feed.
    private func stored(_ place: TemporaryLedger, _ clock: ManualClock) async throws -> Timestamp? {
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.session.ledger.operations.feedClock()?.at
        }
    }

    @Test("An end that a shorter leeway puts in the past is emitted once, at the end of the feed")
    func shorterLeeway() async throws {
        var place = try made(leeway: Self.hour)
        let clock = ManualClock(chain.start(1).advanced(byMilliseconds: Self.hour / 2))
        let receiver = Receiver()
        let before = try await LiveFeed.open(place, clock: clock) { live in
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            // The end of the other one is emitted at the time at which the next feed starts.
            try await live.take([chain.bought(), other.bought(), other.turnedOff(0)])
            try await webhook.deliverAll()
            #expect(try await names(live, of: chain) == ["started"])
            #expect(try await names(live, of: other).last == "expired")
            return try await live.changes().map(\.place)
        }
        receiver.forget()
        place.configuration.catalogue.leewayMilliseconds = 0
        let after = try await LiveFeed.open(place, clock: clock) { live in
            try await live.webhook(receiver).deliverAll()
            #expect(try await names(live, of: chain) == ["started", "expired"])
            let places = try await live.changes().map(\.place)
            #expect(places.dropLast() == before[...])
            return places
        }
        #expect(receiver.taken.map(\.type) == ["expired"])
        #expect(receiver.taken.map(\.chain) == [chain.id])
        clock.advance(byMilliseconds: Self.hour)
        try await LiveFeed.open(place, clock: clock) { live in
            let places = try await live.changes().map(\.place)
            #expect(places == after)
        }
    }

    @Test("A clock that a release without the hash of rules advanced has emitted by other rules")
    func olderRelease() async throws {
        let place = try made(leeway: 0)
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 24 * Self.hour))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take([chain.bought()])
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: -1))
            #expect(try await live.names() == ["started"])
            let later = chain.start(1).advanced(byMilliseconds: Self.hour).milliseconds
            try await live.session.ledger.operations.writeTables(.feeds) { tables in
                _ = try tables.execute("UPDATE @feed_clock SET at = \(later)", all: [])
            }
        }
        clock.set(chain.start(1).advanced(byMilliseconds: Self.hour * 2))
        let names = try await LiveFeed.open(place, clock: clock) { live in
            try await live.names()
        }
        #expect(names == ["started", "expired"])
    }

    @Test("Other rules are stored at once, also where they make nothing due")
    func nothingDue() async throws {
        var place = try made(leeway: 0)
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 24 * Self.hour))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take([chain.bought()])
            try await live.pass(to: clock.now.advanced(byMilliseconds: Self.hour))
        }
        let first = try await stored(place, clock)
        #expect(first == clock.now)
        place.configuration.catalogue.leewayMilliseconds = Self.hour
        let second = try await stored(place, clock)
        #expect(second == clock.now.advanced(byMilliseconds: 1))
        #expect(try await stored(place, clock) == second)
    }

    @Test("An end that was emitted before a longer leeway allows it is emitted again, when it does")
    func longerLeeway() async throws {
        var place = try made(leeway: 0)
        let clock = ManualClock(chain.start(1))
        try await LiveFeed.open(place, clock: clock) { live in
            try await live.take([chain.bought()])
            #expect(try await live.names() == ["started", "expired"])
            try await live.pass(to: chain.start(1).advanced(byMilliseconds: Self.hour * 3 / 2))
        }
        place.configuration.catalogue.leewayMilliseconds = Self.hour
        try await LiveFeed.open(place, clock: clock) { live in
            #expect(try await live.names() == ["started", "expired"])
            let end = try #require(try await live.changes().last)
            #expect(
                end.change.emittedAt == chain.start(1).advanced(byMilliseconds: Self.hour))
        }
    }

    @Test("A purchase whose product gets a duration that is over lapses in the feed as in show")
    func duration() async throws {
        var place = try TemporaryLedger()
        let product = ProductId("com.example.pass")
        let configured = place.configuration.catalogue.products[product]
        place.configuration.catalogue.products[product] = nil
        var pass = chain.transaction(0, signed: chain.start)
        pass.type = Raw(.nonRenewingSubscription)
        pass.productId = product
        pass.expiresDate = nil
        _ = try await place.ingest([
            MadeDelivery(receivedAt: chain.start, evidence: .transaction(pass))
        ])
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 40 * 86_400_000))
        try await LiveFeed.open(place, clock: clock) { live in
            let names = try await live.names()
            #expect(names == ["purchased"])
        }
        place.configuration.catalogue.products[product] = configured
        try await LiveFeed.open(place, clock: clock) { live in
            let names = try await live.names()
            #expect(names == ["purchased", "lapsed"])
        }
    }
}
