import AppStore
import AppStoreAPI
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Service
import Testing

@Suite("Feeds and erasures")
struct FeedErasureTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "500000000000009")

    /// Erases a chain while a change of it is posted; answers as `receiver` does, else nothing.
    private struct ErasingReceiver: APITransport {
        let live: LiveFeed
        let id: String
        var receiver: Receiver?

        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            if String(decoding: request.body ?? [], as: UTF8.self).contains(id) {
                let erasure = PersonErasure(live.session, now: live.clock.now)
                _ = try? await erasure.run(
                    chains: [live.place.chain(id)], customer: nil, TemporaryLedger.erasing)
            }
            guard let receiver else { throw .notConnected }
            return try await receiver.send(request)
        }
    }

    @Test("a change of a chain that is erased while it is posted does not wait afterwards")
    func whilePosted() async throws {
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 3_600_000))
        try await LiveFeed.open(TemporaryLedger(), clock: clock) { live in
            let webhook = WebhookDelivery(
                endpoint: .test(), feed: live.feed,
                transport: ErasingReceiver(live: live, id: chain.id), clock: clock)
            try await webhook.deliverAll()
            try await live.take([chain.bought(), other.bought()])
            _ = try await webhook.step()
            let erasures = try await live.session.ledger.log.erasurePositions(
                after: 0, through: .max)
            #expect(erasures == [3])
            let waiting = try await live.session.ledger.operations.waiting(
                for: "books", limit: .max)
            #expect(waiting.map(\.chain) == [live.place.chain(other.id)])
        }
    }

    @Test("a redelivery posts nothing of a chain after its erasure, and does not hold others back")
    func whileRedelivered() async throws {
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 3_600_000))
        try await LiveFeed.open(TemporaryLedger(), clock: clock) { live in
            try await live.take(chain.life + [other.bought()])
            let receiver = Receiver()
            let report = try await WebhookSender(
                endpoint: .test(),
                transport: ErasingReceiver(live: live, id: chain.id, receiver: receiver),
                clock: clock
            ).redeliver(live.session.ledger, from: 1, to: 5, isDryRun: false)
            #expect(receiver.tried.count { $0.chain == chain.id } == 1)
            #expect(receiver.tried.count { $0.chain == other.id } == 1)
            #expect(report.delivered == 2 && report.failed == report.changes - 2)
            #expect(report.failed > 0)
        }
    }

    @Test("a change by the clock of a chain that was erased, but is still derived, is not kept")
    func stillDerived() async throws {
        let clock = ManualClock(chain.start.advanced(byMilliseconds: 11 * 86_400_000))
        let place = try await LiveFeed.placeOfEnding(chain)
        let id = place.chain(chain.id)
        try await LiveFeed.open(place, clock: clock) { live in
            // Derived data follows later.
            _ = try await PersonErasure(live.session, now: clock.now).run(
                chains: [id], customer: nil, TemporaryLedger.erasing)
            try await live.pass(to: chain.start(1))
            let operations = live.session.ledger.operations
            #expect(try await operations.feedClock()?.at == chain.start(1))
            #expect(try await operations.clockReadings(of: [id]).isEmpty)
        }
    }
}
