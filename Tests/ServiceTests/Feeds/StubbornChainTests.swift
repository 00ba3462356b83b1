import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Synchronization
import Testing

@testable import Service

/// Endpoints that never accept changes of some chains, and clocks that were wrong once: all other
/// changes are delivered, each chain in order.
@Suite("Webhooks beside chains that are never accepted")
struct StubbornChainTests {
    private let chain = MadeChain()

    private func open(_ body: (LiveFeed) async throws -> Void) async throws {
        // In the first period, where the clock causes no change.
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 3_600_000))
        try await LiveFeed.open(try TemporaryLedger(), clock: clock, body)
    }

    private static func chains(_ count: Int, from first: Int) -> [MadeChain] {
        (0..<count).map { MadeChain(id: "70000000000\(first + $0)") }
    }

    @Test("New changes are delivered beside more failing chains than make it down")
    func stubborn() async throws {
        try await open { live in
            let stubborn = Self.chains(WebhookLimits.downFailureCount + 1, from: 1_000)
            let refused = Set(stubborn.map(\.id))
            let receiver = Receiver {
                .answered(status: refused.contains($0.chain) ? 500 : 204)
            }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            try await live.take(stubborn.map { $0.bought() })
            try await webhook.deliverAll()
            #expect(receiver.taken.isEmpty)
            // Just past the wait for the next probe.
            live.clock.advance(byMilliseconds: WebhookLimits.longestProbeMilliseconds * 2)
            let others = Self.chains(11, from: 2_000)
            try await live.take(others.map { $0.bought() })
            try await webhook.deliverAll()
            #expect(Set(receiver.taken.map(\.chain)) == Set(others.map(\.id)))
        }
    }

    @Test(
        "Chains that are rejected again do not delay others, whatever comes first",
        arguments: [WebhookOutcome.answered(status: 422), .answered(status: 502), .timedOut])
    func rejectedAgain(_ rejection: WebhookOutcome) async throws {
        try await open { live in
            let stubborn = Self.chains(WebhookLimits.downFailureCount, from: 1_000)
            let (rejected, others) = (Self.chains(1, from: 2_000), Self.chains(7, from: 2_001))
            let refused = Set((stubborn + rejected).map(\.id))
            let receiver = Receiver {
                refused.contains($0.chain) ? rejection : .answered(status: 204)
            }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            // Changes are accepted in between, so that the endpoint never looks down.
            for (half, accepted) in zip(
                [stubborn.prefix(4), stubborn.dropFirst(4)], Self.chains(2, from: 3_000))
            {
                try await live.take(half.map { $0.bought() })
                try await webhook.deliverAll()
                try await live.take([accepted.bought()])
                try await webhook.deliverAll()
            }
            receiver.forget()
            live.clock.advance(byMilliseconds: WebhookLimits.firstDelayMilliseconds)
            try await live.take((rejected + others).map { $0.bought() })
            try await webhook.deliverAll()
            #expect(receiver.tried.count == stubborn.count + rejected.count + others.count)
            #expect(Set(receiver.taken.map(\.chain)) == Set(others.map(\.id)))
        }
    }

    @Test("Chains that hang again and again hold back neither new changes nor one another")
    func hanging() async throws {
        try await open { live in
            // given: more changes that failed once and are due than are retried at once
            try await live.webhook(Receiver()).deliverAll()
            let hanging = Self.chains(2 * WebhookLimits.concurrency + 1, from: 1_000)
            try await live.take(hanging.map { $0.bought() })
            let (operations, clock) = (live.session.ledger.operations, live.clock)
            var row = try #require(try await operations.webhookEndpoint("books"))
            row.move(to: try await live.feed.end())
            let waiting = try await live.changes().map {
                WaitingChange(
                    place: $0.place, chain: $0.chain, attempts: 1, firstAt: clock.now,
                    nextAt: clock.now)
            }
            try await operations.keep(row, waiting: waiting, done: [])
            let stuck = Set(hanging.map(\.id))
            let receiver = Receiver { message in
                guard stuck.contains(message.chain) else { return .answered(status: 204) }
                clock.advance(byMilliseconds: WebhookLimits.timeoutMilliseconds)
                return .timedOut
            }
            let webhook = live.webhook(receiver)
            // when: those of a step are due again with the next one
            let others = Self.chains(1, from: 2_000)
            try await live.take(others.map { $0.bought() })
            for _ in 0..<3 { _ = try await webhook.step() }
            // then
            #expect(receiver.taken.map(\.chain) == others.map(\.id))
            #expect(stuck.isSubset(of: receiver.tried.map(\.chain)))
        }
    }

    @Test("A receiver that goes away again as soon as it is back is probed, and gets all")
    func awayAgain() async throws {
        try await open { live in
            let chains = Self.chains(WebhookLimits.downFailureCount + 4, from: 1_000)
            let accepted = Mutex(0)
            let receiver = Receiver { _ in
                let isTaken = accepted.withLock { left in
                    left -= 1
                    return left >= 0
                }
                return isTaken ? .answered(status: 204) : .unreachable
            }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            try await live.take(chains.map { $0.bought() })
            try await webhook.deliverAll()
            // Each is tried so often that its next delay is longer than that of a probe.
            for _ in 0..<chains.count * 7 {
                live.clock.advance(byMilliseconds: WebhookLimits.longestProbeMilliseconds * 2)
                try await webhook.deliverAll()
            }
            for taken in [1, chains.count] {
                accepted.withLock { $0 = taken }
                live.clock.advance(byMilliseconds: WebhookLimits.longestProbeMilliseconds * 2)
                try await webhook.deliverAll()
            }
            #expect(Set(receiver.taken.map(\.chain)) == Set(chains.map(\.id)))
        }
    }

    @Test("While only failing chains have new changes, the endpoint is still probed")
    func onlyStubborn() async throws {
        try await open { live in
            let stubborn = Self.chains(WebhookLimits.downFailureCount, from: 1_000)
            let receiver = Receiver { _ in .answered(status: 500) }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            try await live.take(stubborn.map { $0.bought() })
            try await webhook.deliverAll()
            for round in 1...3 {
                let before = receiver.tried.count
                live.clock.advance(byMilliseconds: WebhookLimits.longestProbeMilliseconds * 2)
                try await live.take(stubborn.map { $0.renewed(round) })
                try await webhook.deliverAll()
                #expect(receiver.tried.count > before, "round \(round)")
            }
        }
    }

    @Test("Enabled again after a clock that was ahead, it gets deliveries at once")
    func takenUpAgain() async throws {
        try await open { live in
            let receiver = Receiver { _ in .answered(status: 410) }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            let right = live.clock.now
            live.clock.set(right.advanced(byMilliseconds: 86_400_000))
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            try await webhook.deliverAll()
            live.clock.set(right)
            receiver.answer { _ in .answered(status: 204) }
            let test = WebhookSender(endpoint: .test(), transport: receiver, clock: live.clock)
            #expect(try await test.test(live.session.ledger.operations).isSuccess)
            receiver.forget()
            try await webhook.deliverAll()
            #expect(receiver.taken.map(\.type) == ["started"])
        }
    }

    @Test("After a clock that was ahead, waiting changes are retried within the usual time")
    func clockSetBack() async throws {
        try await open { live in
            let receiver = Receiver { _ in .answered(status: 500) }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            let right = live.clock.now
            live.clock.set(right.advanced(byMilliseconds: 10 * 86_400_000))
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            #expect(receiver.tried.count == 1)
            live.clock.set(right)
            receiver.answer { _ in .answered(status: 204) }
            try await webhook.deliverAll()
            #expect(receiver.taken.count == 1)
        }
    }

    @Test(
        "A change first tried by a clock that was ahead is parked three days after its correction")
    func givenUpInTime() async throws {
        try await open { live in
            let receiver = Receiver { _ in .answered(status: 500) }
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            let right = live.clock.now
            live.clock.set(right.advanced(byMilliseconds: 10 * 86_400_000))
            try await live.take([chain.bought()])
            try await webhook.deliverAll()
            live.clock.set(right)
            try await webhook.deliverAll()
            live.clock.set(right.advanced(byMilliseconds: WebhookLimits.retryMilliseconds))
            try await webhook.deliverAll()
            let operations = live.session.ledger.operations
            #expect(try await operations.waitingCounts(for: "books") == (0, 1))
        }
    }

    @Test("A time counts as ahead up to the longest delay, and not a millisecond beyond")
    func furthest() {
        let schedule = RetrySchedule { 1 }
        let now = Timestamp(milliseconds: 1_780_272_000_000)
        let furthest = WebhookLimits.furthestMilliseconds
        #expect(schedule.delay(after: 100) == furthest)
        for (distance, isAhead) in [(0, false), (1, true), (furthest, true), (furthest + 1, false)]
        {
            let moment = now.advanced(byMilliseconds: distance)
            #expect(schedule.isAhead(moment, of: now) == isAhead, "\(distance)")
        }
    }

    @Test("Of due changes the longest due is first; one set by a clock that was ahead is due, too")
    func dueOrder() {
        // given
        let now = Timestamp(milliseconds: 1_780_272_000_000)
        let distances: [Int64] = [0, -5, 1, -7, -5, WebhookLimits.furthestMilliseconds + 1]
        let changes = distances.enumerated().map { index, distance in
            WaitingChange(
                place: ChangePlace(position: Int64(index)),
                chain: ChainId(
                    bundleId: BundleId(MadeChain.app),
                    originalTransactionId: OriginalTransactionId("9")),
                attempts: 1, firstAt: now, nextAt: now.advanced(byMilliseconds: distance))
        }
        // when
        let due = RetrySchedule { 1 }.due(changes.reversed(), at: now)
        // then
        #expect(due.map(\.place.position) == [5, 3, 1, 4, 0])
    }

    @Test("More waiting changes than the limit, found at a start: none is overtaken in its chain")
    func manyFound() async throws {
        let place = try TemporaryLedger()
        let clock = ManualClock(chain.start(6))
        let receiver = Receiver { _ in .answered(status: 500) }
        try await LiveFeed.open(place, clock: clock) { live in
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll()
            try await live.take(chain.life)
            try await webhook.deliverAll()
            let operations = live.session.ledger.operations
            let own = try await operations.waiting(for: "books", limit: .max)
            #expect(own.count > 2)
            // Earlier in the feed, of chains that can no longer be read.
            let row = try #require(try await operations.webhookEndpoint("books"))
            let before = WaitingChange.unreadable(WebhookLimits.waitingCount, at: clock.now)
            try await operations.keep(row, waiting: before, done: [])
        }
        receiver.forget()
        receiver.answer { _ in .answered(status: 204) }
        try await LiveFeed.open(place, clock: clock) { live in
            clock.advance(byMilliseconds: 60_000)
            let webhook = live.webhook(receiver)
            try await webhook.deliverAll(limit: 10_000)
            // Later changes of the chain wait for those that were found.
            try await live.take([
                chain.notification(
                    .subscribed, .resubscribe, 4, at: chain.start(4).advanced(byMilliseconds: 9_000)
                )
            ])
            try await webhook.deliverAll(limit: 10_000)
            let taken = receiver.taken.filter { $0.chain == chain.id }.map(\.sequence)
            #expect(taken == taken.sorted() && taken.first == 1)
        }
    }
}
