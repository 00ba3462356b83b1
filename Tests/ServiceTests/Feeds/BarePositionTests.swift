import AppStore
import Ledger
import LedgerTestSupport
import Projection
import Queries
import Service
import Testing

/// A subscriber that has only a position of the log must not miss any clock change there, however
/// late.
@Suite("A bare position as a cursor")
struct BarePositionTests {
    private let chain = MadeChain()

    /// Before the end of a period that is set to be the last.
    private var eve: Timestamp { chain.start(0).advanced(byMilliseconds: 11 * 86_400_000) }

    private func open(_ body: (LiveFeed) async throws -> Void) async throws {
        try await LiveFeed.open(try TemporaryLedger(), clock: ManualClock(eve)) { live in
            try await live.take([chain.bought(), chain.turnedOff(0)])
            try await body(live)
        }
    }

    @Test("on a quiet ledger the end caused by the clock is emitted after its last position")
    func quiet() async throws {
        try await open { live in
            let end = try await live.feed.logEnd()
            let cursor = try #require(ChangePlace("\(end)"))
            #expect(try await live.changes(after: cursor).isEmpty)
            try await live.pass(to: chain.start(1))
            let reported = try await live.changes(after: cursor)
            #expect(reported.map(\.change.name) == [.transition(.expired)])
            #expect(reported.map(\.place.position) == [end])
        }
    }

    @Test("a subscriber before the feed's first step gets the clock changes after it")
    func beforeTheFirstStep() async throws {
        let (place, clock) = (try TemporaryLedger(), ManualClock(eve))
        _ = try await place.ingest([chain.bought(), chain.turnedOff(0)])
        try await LiveFeed.open(place, clock: clock, begins: false) { live in
            let cursor = try await live.feed.end()
            try await live.feed.step()
            try await live.pass(to: chain.start(1))
            let reported = try await live.changes(after: cursor)
            #expect(reported.map(\.change.name) == [.transition(.expired)])
        }
    }

    @Test(
        "a redelivery from the position after the last accepted one includes its clock changes")
    func redelivered() async throws {
        try await open { live in
            let end = try await live.feed.logEnd()
            try await live.pass(to: chain.start(1))
            let redelivery = WebhookSender(
                endpoint: .test(), transport: Receiver(),
                clock: live.clock)
            for from in [end, end + 1] {
                let report = try await redelivery.redeliver(
                    live.session.ledger, from: from, to: end, isDryRun: true)
                #expect(report.types["expired"] == 1, "from \(from)")
            }
            let later = try await redelivery.redeliver(
                live.session.ledger, from: end + 1, to: end, isDryRun: true)
            #expect(later.changes == 1)
        }
    }
}
