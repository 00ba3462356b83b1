import AppStore
import AppStoreAPI
import Intake
import Ledger
import LedgerTestSupport
import Projection
import Service
import Simulator
import Synchronization
import TestSupport
import Testing

@Suite("Sweeps of several apps in turn")
struct RecoveryTurnTests {
    private static let hour: Int64 = 3_600_000
    private static let other = BundleId("com.example.other")
    private static let otherNumber: Int64 = 2_345_678_901

    /// The requests of one check by app, in order, its notes, and what is complete afterwards.
    private struct Look: Sendable {
        let requests: [BundleId]
        let codes: [String]
        let ends: [BundleId: Timestamp]
    }

    /// Checks the app with many notifications of sixty days, then the other one with few.
    ///
    /// - Parameter delay: how long a request of the other app takes.
    private func look(turnPageCount: Int, delay: Int64 = 0) async throws -> Look {
        var world = try RecoveryWorld()
        world.ledger.configuration.apps.append(
            Configuration.App(bundleId: Self.other, appAppleId: Self.otherNumber))
        _ = try await world.ledger.ingest(
            RecoveryWorld.deliveries(at: [RecoveryWorld.days(60)]))
        let clock = ManualClock(RecoveryWorld.now, sleeping: .advances)
        let requests: Mutex<[BundleId]> = Mutex([])
        let few = ServedRecords(
            HistoryPlan(
                world: SubscriberWorld(bundleId: Self.other, appAppleId: Self.otherNumber),
                seed: 7, limit: .chains(2)))
        let apples = [
            (RecoveryWorld.app, world.apple { clock.now }),
            (Self.other, RecoveryWorld.apple(few, clock)),
        ]
        let clients = try apples.map { app, api in
            AppStoreServerAPIClient(
                credentials: try TestAuthority.key.credentials(app),
                transport: SimulatedTransport(production: api) { _, _ in
                    requests.withLock { $0.append(app) }
                    if app == Self.other { clock.advance(byMilliseconds: delay) }
                }, clock: clock)
        }
        return try await world.watching(clients, clock) { host, watch, notes in
            var watch = watch
            watch.turnPageCount = turnPageCount
            await watch.check()
            let ledger = try host.ledger(.production).ledger
            var ends: [BundleId: Timestamp] = [:]
            for (app, _) in apples {
                ends[app] = ledger.complete(of: app, .everything, head: .max)?.through
            }
            return Look(
                requests: requests.withLock { $0 }, codes: notes().map(\.code), ends: ends)
        }
    }

    @Test("A long sweep lets the other app go between its turns, and fetches nothing twice")
    func turns() async throws {
        let whole = try await look(turnPageCount: .max)
        let settled = RecoveryWorld.now.advanced(byMilliseconds: -5 * 60_000)
        let count = whole.requests.count { $0 == RecoveryWorld.app }
        #expect(count > 40)
        #expect(whole.requests.lastIndex(of: RecoveryWorld.app) == count - 1)
        // Thirteen hours each time: the sweep then takes longer than a day, and is not begun again.
        let look = try await look(turnPageCount: 20, delay: 13 * Self.hour)
        let long = look.requests.indices.filter { look.requests[$0] == RecoveryWorld.app }
        let first = try #require(look.requests.firstIndex(of: Self.other))
        let last = try #require(long.last)
        #expect(first > 0 && first < last)
        #expect(long.count == count)
        #expect(look.codes.count { $0 == "outageSuspected" } == 1)
        #expect(!look.codes.contains("recoveryFailed"))
        #expect(look.ends[RecoveryWorld.app] == settled)
        #expect(try #require(look.ends[Self.other]) >= settled)
    }
}
