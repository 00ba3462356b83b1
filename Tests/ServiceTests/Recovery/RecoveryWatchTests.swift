import AppStore
import AppStoreAPI
import AppleSync
import Intake
import Ledger
import LedgerTestSupport
import Projection
import Service
import Simulator
import Synchronization
import TestSupport
import Testing

extension RecoveryWorld {
    /// Runs a service while `body` does; passes it, its watch for outages, and a function for the
    /// notes since its last call.
    func watching<Value>(
        _ clients: [AppStoreServerAPIClient], _ clock: ManualClock,
        _ body: (LedgerHost, RecoveryWatch, () -> [ServingNote]) async throws -> Value
    ) async throws -> Value {
        try await ledger.serve(by: clock) { host in
            let reported: Mutex<[ServingNote]> = Mutex([])
            let watch = RecoveryWatch(host: host, clients: clients, clock: clock) { note in
                reported.withLock { $0.append(note) }
            }
            return try await body(host, watch) {
                reported.withLock { notes in
                    defer { notes = [] }
                    return notes
                }
            }
        }
    }

    /// An Apple with these notifications instead, each delivered at once.
    static func apple(_ books: ServedRecords, _ clock: ManualClock) -> SimulatedAPI {
        var setup = SimulatedAPI.Setup(
            books: books, key: TestAuthority.key, authority: TestAuthority.shared,
            storeClock: { clock.now }, clock: { clock.now })
        setup.rateWindowMilliseconds = nil
        return SimulatedAPI(setup)
    }
}

@Suite("Detecting outages while the service runs")
struct RecoveryWatchTests {
    static let minute: Int64 = 60_000
    static let hour: Int64 = 60 * minute
    static let day: Int64 = 24 * hour

    /// The requests and notes of one check.
    struct Look: Sendable {
        let requestCount: Int
        let notes: [ServingNote]
        let completeThrough: Timestamp?

        var codes: [String] { notes.map(\.code) }
    }

    /// Advances the clock and checks, once for each time.
    ///
    /// - Parameters:
    ///   - delivered: what Apple delivers before a check, by its number.
    ///   - books: what Apple has instead of `RecoveryWorld.books`.
    func looks(
        _ world: RecoveryWorld, from start: Timestamp, after waits: [Int64],
        delivered: [Int: [UInt8]] = [:], books: ServedRecords? = nil
    ) async throws -> [Look] {
        let clock = ManualClock(start, sleeping: .advances)
        let api = books.map { RecoveryWorld.apple($0, clock) } ?? world.apple { clock.now }
        let client = AppStoreServerAPIClient(
            credentials: try TestAuthority.key.credentials(RecoveryWorld.app),
            transport: SimulatedTransport(production: api), clock: clock)
        return try await world.watching([client], clock) { host, watch, notes in
            let ledger = try host.ledger(.production).ledger
            var looks: [Look] = []
            for (number, wait) in waits.enumerated() {
                clock.advance(byMilliseconds: wait)
                if let body = delivered[number] { _ = try await host.takeNotification(body) }
                let before = api.counts[.notificationHistory] ?? 0
                await watch.check()
                looks.append(
                    Look(
                        requestCount: (api.counts[.notificationHistory] ?? 0) - before,
                        notes: notes(),
                        completeThrough: ledger.complete(
                            of: RecoveryWorld.app, .everything, head: .max)?.through))
            }
            return looks
        }
    }

    @Test("An empty ledger is not checked")
    func empty() async throws {
        let looks = try await looks(
            try RecoveryWorld(), from: RecoveryWorld.now, after: [0, Self.day])
        #expect(looks.map(\.requestCount) == [0, 0])
        #expect(looks.flatMap(\.codes).isEmpty)
    }

    @Test("The certain window follows the clock: a sweep an hour, nothing between")
    func hourly() async throws {
        let world = try RecoveryWorld()
        _ = try await world.recover(RecoveryWorld.request(10, 1))
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, 10 * Self.minute, Self.hour])
        #expect(
            looks[0].completeThrough == RecoveryWorld.now.advanced(byMilliseconds: -5 * Self.minute)
        )
        #expect(looks[0].requestCount > 1)
        // Only a request for failed deliveries.
        #expect(looks[1].requestCount == 1)
        #expect(looks[1].completeThrough == looks[0].completeThrough)
        #expect(
            looks[2].completeThrough
                == RecoveryWorld.now.advanced(byMilliseconds: 65 * Self.minute))
        #expect(!looks.flatMap(\.codes).contains("recoveryOutOfReach"))
    }

    @Test("An app that falls quiet is suspected once; then it is swept hourly without a note")
    func quiet() async throws {
        let world = try RecoveryWorld()
        let last = RecoveryWorld.now.advanced(byMilliseconds: -3 * Self.hour)
        let times = RecoveryWorld.times(130, every: 4 * Self.minute, to: last)
        _ = try await world.ledger.ingest(RecoveryWorld.deliveries(at: times))
        let looks = try await looks(
            world, from: RecoveryWorld.now,
            after: [0] + Array(repeating: 10 * Self.minute, count: 30))
        #expect(looks[0].codes.count { $0 == "outageSuspected" } == 1)
        #expect(!looks.dropFirst().flatMap(\.codes).contains("outageSuspected"))
        for (index, look) in looks.enumerated() {
            let now = RecoveryWorld.now.advanced(byMilliseconds: Int64(index) * 10 * Self.minute)
            let through = try #require(look.completeThrough)
            #expect(now.milliseconds(since: through) < RecoveryWatch.sweepMilliseconds)
        }
        // Not at every check, either.
        #expect(looks.count { $0.requestCount > 1 } < 10)
    }

    @Test(
        "Notifications older than Apple's history are reported once, and not requested repeatedly")
    func outOfReach() async throws {
        let world = try RecoveryWorld()
        _ = try await world.recover(RecoveryWorld.request(170, 160))
        let later = RecoveryWorld.days(-40)
        let looks = try await looks(
            world, from: later,
            after: [0, 10 * Self.minute, Self.hour, 10 * Self.minute, 2 * Self.day])
        // It will never be closed: the certain window starts again after it, and grows.
        #expect(
            looks[0].completeThrough == later.advanced(byMilliseconds: -5 * Self.minute))
        #expect(
            try #require(looks[4].completeThrough) > later.advanced(byMilliseconds: 2 * Self.day))
        #expect(looks[0].codes.count { $0 == "recoveryOutOfReach" } == 1)
        #expect(!looks.dropFirst().flatMap(\.codes).contains("recoveryOutOfReach"))
        #expect(looks[0].codes.contains("recovered"))
        #expect(looks[1].requestCount == 1)
        #expect(looks[3].requestCount == 1)
        // Half a year at first; hours, and two days, afterwards.
        #expect(looks[2].requestCount > 1)
        #expect(looks[2].requestCount < looks[0].requestCount)
        #expect(looks[4].requestCount < looks[0].requestCount)
        let note = try #require(looks[0].notes.first { $0.code == "recoveryOutOfReach" })
        #expect(note.message.contains(RecoveryWorld.days(160).rfc3339))
        #expect(note.message.contains("backfill"))
        #expect(note.environment == .production)
    }

    @Test("While Apple sends version 1, sweeps stay hourly and confirm only what follows the last")
    func versionOne() async throws {
        // given
        var world = try RecoveryWorld()
        try world.ledger.share()
        let chain = MadeChain(start: RecoveryWorld.days(2))
        let types = [0: "INITIAL_BUY", 1: "DID_CHANGE_RENEWAL_PREF", 3: "DID_RENEW"]
        // when
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, 10, 50, 10, 50].map { $0 * Self.minute },
            delivered: types.mapValues { chain.notificationV1($0, through: 0, at: chain.start) })
        // then
        let isSwept = looks.map { $0.requestCount > 1 }
        #expect(isSwept == [true, false, true, false, true])
        let through = looks.map { look in
            look.completeThrough.map { $0.milliseconds(since: RecoveryWorld.now) / Self.minute }
        }
        #expect(through == [nil, nil, nil, nil, nil])
    }

    @Test("A silence that began before Apple's history is suspected and swept once")
    func silentBeyondHistory() async throws {
        // given
        let world = try RecoveryWorld()
        _ = try await world.ledger.ingest(
            RecoveryWorld.deliveries(at: [RecoveryWorld.days(200)]))
        // when
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, 10 * Self.minute, 10 * Self.minute],
            books: ServedRecords(HistoryPlan(limit: .chains(20))))
        // then
        #expect(looks[0].codes.contains("outageSuspected"))
        #expect(looks[0].completeThrough != nil)
        let later = looks.dropFirst()
        #expect(later.map(\.requestCount) == [1, 1])
        #expect(!later.flatMap(\.codes).contains("outageSuspected"))
    }

    @Test("Of a silence while Apple sent version 1 nothing is suspected once version 2 is certain")
    func silentBeforeVersionTwo() async throws {
        // given: a delivery of version 2, then one of version 1, and version 2 twelve hours later
        var world = try RecoveryWorld()
        try world.ledger.share()
        let tested = RecoveryWorld.now.advanced(byMilliseconds: -3 * Self.hour)
        _ = try await world.ledger.ingest(RecoveryWorld.deliveries(at: [tested]))
        let chain = MadeChain(start: RecoveryWorld.days(2))
        let body = chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start)
        // when
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, 12 * Self.hour, 10 * Self.minute],
            delivered: [0: body])
        // then
        #expect(looks[0].codes.contains("outageSuspected"))
        #expect(looks[0].completeThrough == nil)
        #expect(looks[1].completeThrough != nil)
        #expect(!looks[2].codes.contains("outageSuspected"))
        #expect(looks[2].requestCount == 1)
    }

    @Test("What was swept while version 1 was sent is not reported as out of reach")
    func sweptInBetween() async throws {
        // given: certain until twenty days ago, version 1 now, version 2 twelve hours later
        var world = try RecoveryWorld()
        try world.ledger.share()
        _ = try await world.recover(RecoveryWorld.request(25, 20))
        let chain = MadeChain(start: RecoveryWorld.days(40))
        let body = chain.notificationV1("DID_RENEW", through: 0, at: chain.start)
        // when
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, 8 * Self.hour, 15 * Self.hour],
            delivered: [0: body])
        // then
        #expect(looks[1].completeThrough == nil)
        let settled = 23 * Self.hour - 5 * Self.minute
        #expect(
            looks[2].completeThrough == RecoveryWorld.now.advanced(byMilliseconds: settled))
        #expect(!looks.flatMap(\.codes).contains("recoveryOutOfReach"))
    }

    @Test("Refused evidence is requested again a day later, not every ten minutes")
    func refused() async throws {
        var world = try RecoveryWorld()
        _ = try await world.recover(RecoveryWorld.request(30, 20))
        world.faults = [
            ServedFaultRule(.badSignature, only: .notificationHistory, from: 1, count: .max)
        ]
        let looks = try await looks(
            world, from: RecoveryWorld.now,
            after: [0, 10 * Self.minute, Self.hour, 25 * Self.hour])
        #expect(looks.allSatisfy { $0.completeThrough == RecoveryWorld.days(20) })
        #expect(looks[1].requestCount == 1)
        #expect(looks[2].requestCount < looks[0].requestCount)
        #expect(looks[3].requestCount >= looks[0].requestCount)
    }

    @Test(
        "A first sweep with refused evidence is repeated once, although later ones are clean",
        arguments: [(40, 2), (200, 3)] as [(Int64, Int)])
    func refusedFirst(days: Int64, request: Int) async throws {
        var world = try RecoveryWorld()
        // Beyond the older event's time Apple's history begins later at each sweep.
        let recent = RecoveryWorld.now.advanced(byMilliseconds: -10 * Self.minute)
        let times = [RecoveryWorld.days(days), recent]
        _ = try await world.ledger.ingest(RecoveryWorld.deliveries(at: times))
        world.faults = [
            ServedFaultRule(.badSignature, only: .notificationHistory, from: request, count: 1)
        ]
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, Self.hour, 25 * Self.hour, Self.hour])
        #expect(looks[0].completeThrough == nil)
        #expect(looks[1].completeThrough != nil)
        #expect(looks[1].requestCount < looks[0].requestCount)
        #expect(looks[2].requestCount >= looks[0].requestCount)
        #expect(looks[3].requestCount < looks[0].requestCount)
    }

    @Test("A sweep that Apple interrupts is continued by the next check")
    func interrupted() async throws {
        var world = try RecoveryWorld()
        let old = RecoveryWorld.times(1, every: 1, to: RecoveryWorld.days(40))
        _ = try await world.ledger.ingest(RecoveryWorld.deliveries(at: old))
        let whole = try await looks(world, from: RecoveryWorld.now, after: [0])
        world = try RecoveryWorld()
        _ = try await world.ledger.ingest(RecoveryWorld.deliveries(at: old))
        world.faults = [
            ServedFaultRule(.garbage, only: .notificationHistory, from: 8, count: 1)
        ]
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, 10 * Self.minute])
        #expect(looks[0].completeThrough == nil)
        #expect(looks[1].completeThrough != nil)
        // The last one looks for failed deliveries once more.
        #expect(looks[1].requestCount - 1 < whole[0].requestCount)
    }

    @Test("What was sent while a sweep lay interrupted is swept by the check that resumes it")
    func interruptedLong() async throws {
        var world = try RecoveryWorld()
        let old = RecoveryWorld.times(1, every: 1, to: RecoveryWorld.days(40))
        _ = try await world.ledger.ingest(RecoveryWorld.deliveries(at: old))
        world.faults = [
            ServedFaultRule(.garbage, only: .notificationHistory, from: 8, count: 1)
        ]
        let looks = try await looks(
            world, from: RecoveryWorld.now, after: [0, 11 * Self.hour])
        #expect(looks[0].completeThrough == nil)
        let settled = 11 * Self.hour - 5 * Self.minute
        #expect(
            looks[1].completeThrough == RecoveryWorld.now.advanced(byMilliseconds: settled))
    }
}
