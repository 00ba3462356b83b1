import AppStore
import AppleSync
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Simulator
import Testing

@Suite("Outages of an app, detected from its own log")
struct OutageWatchTests {
    static let minute: Int64 = 60_000
    static let hour = 60 * minute
    static let day = 24 * hour

    private func suggestions(
        _ world: RecoveryWorld
    ) async throws -> [OutageDetection.Suggestion] {
        let client = try world.client(world.apple())
        return try await world.ledger.ledger { ledger in
            try await OutageWatch(ledger: ledger, client: client) { RecoveryWorld.now }
                .suggestions()
        }
    }

    @Test("A delivery dated in the future hides no outage, and causes none")
    func future() async throws {
        let world = try RecoveryWorld()
        let hole = RecoveryWorld.now.advanced(byMilliseconds: -10 * Self.hour)
        let before = RecoveryWorld.times(
            40, every: 10 * Self.minute, to: hole.advanced(byMilliseconds: -10 * Self.hour))
        let after = RecoveryWorld.times(60, every: 10 * Self.minute, to: RecoveryWorld.now)
        let taken = try await world.ledger.ingest(RecoveryWorld.deliveries(at: before + after))
        #expect(taken.appended == 100)
        let found = try await suggestions(world)
        #expect(found.map(\.reasons) == [[.silence]])
        #expect(found.map(\.to) == [after[0]])
        // Ingested while the clock was far ahead.
        var misled = world.ledger
        misled.now = TemporaryLedger.end
        for (index, ahead) in [1, 3 * Self.day, 73 * 365 * Self.day].enumerated() {
            var stray = RecoveryWorld.deliveries(
                at: [RecoveryWorld.now.advanced(byMilliseconds: -Int64(index + 1) * 2_000)])
            stray[0].receivedAt = RecoveryWorld.now.advanced(byMilliseconds: ahead)
            #expect(try await misled.ingest(stray).appended == 1)
            #expect(try await suggestions(world) == found, "\(ahead) ms ahead")
        }
    }

    @Test("The log is searched for a delivery once, and then only what was appended since")
    func searchedOnce() async throws {
        // given: a log without a delivery
        let world = try RecoveryWorld()
        _ = try await world.recover(RecoveryWorld.request(25, 20))
        let (apps, verifier) = (world.ledger.configuration.apps, world.ledger.verifier)
        let times = [RecoveryWorld.days(2), RecoveryWorld.days(1)]
        let deliveries = RecoveryWorld.deliveries(at: times)
        let delivery = try deliveries[0].line()
        // A copy from a file is none.
        let copy = Array("{\"signedPayload\":\"\(try deliveries[1].token())\"}".utf8)
        try await world.ledger.ledger { ledger in
            let intake = Ingest(ledger: ledger, apps: apps, verifier: verifier, source: .import) {
                RecoveryWorld.now
            }
            // when
            let none = try await ledger.lastDelivery(of: RecoveryWorld.app)
            let before = try await ledger.log.head().position
            var ends: [Int64] = []
            for line in [delivery, copy] {
                let summary = try await intake.run(lines: [line], input: "lines")
                #expect(summary.appended == 1)
                ends.append(try await ledger.lastDelivery(of: RecoveryWorld.app))
            }
            // then: the second search ends where the first did, not at the end of the log
            #expect(none == 0)
            #expect(before > 1)
            #expect(ends == [before + 1, before + 1])
        }
    }

    @Test("Failed deliveries from before the last of version 1 are suggested until fetched")
    func failedBeforeVersionOne() async throws {
        // given: nothing arrived for ten days but one of version 1, and only the end was swept
        var world = try RecoveryWorld()
        try world.ledger.share()
        world.outages = [RecoveryWorld.days(10)...RecoveryWorld.now]
        world.ledger.now = RecoveryWorld.days(5)
        let chain = MadeChain(start: RecoveryWorld.days(40))
        try await world.deliver(chain.notificationV1("DID_RENEW", through: 0, at: chain.start))
        world.ledger.now = RecoveryWorld.now
        let short = try await world.recover(RecoveryWorld.request(6, 0))
        #expect(short.report.complete?.from == RecoveryWorld.days(5))
        // when
        let before = try await suggestions(world)
        let whole = try await world.recover(RecoveryWorld.request(14, 0))
        let after = try await suggestions(world)
        // then: what is in the log is not suggested, certain or not
        #expect(!before.isEmpty)
        #expect(before.allSatisfy { $0.reasons == [.failedDeliveries] })
        #expect(before.allSatisfy { $0.to <= RecoveryWorld.days(6) })
        #expect(whole.report.newCount > 0)
        #expect(whole.report.complete == short.report.complete)
        #expect(after.isEmpty)
    }

    @Test("A log with future dates only suggests nothing")
    func onlyFuture() async throws {
        let world = try RecoveryWorld()
        var strays = RecoveryWorld.deliveries(
            at: RecoveryWorld.times(20, every: Self.hour, to: RecoveryWorld.now))
        for index in strays.indices {
            strays[index].receivedAt = RecoveryWorld.now.advanced(
                byMilliseconds: Int64(index + 1) * Self.day)
        }
        var misled = world.ledger
        misled.now = TemporaryLedger.end
        #expect(try await misled.ingest(strays).appended == 20)
        #expect(try await suggestions(world).isEmpty)
    }
}
