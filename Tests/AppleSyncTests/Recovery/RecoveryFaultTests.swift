import AppStore
import AppStoreAPI
import AppleSync
import Foundation
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Simulator
import TestSupport
import Testing

@Suite("Recovery, when Apple or the network fails")
struct RecoveryFaultTests {
    /// What a recovery without failures gives; run once for all cases.
    private static let whole = Task {
        try await RecoveryWorld().recover(RecoveryWorld.request(60, 10))
    }

    @Test(
        "interrupted, it resumes where it was and ends as if it had never stopped",
        arguments: [2, 12, 20])
    func resumes(_ request: Int) async throws {
        let whole = try await Self.whole.value
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(.dropped, from: request)]
        let failure = try await world.failure(RecoveryWorld.request(60, 10))
        #expect(failure?.code == "appleUnreachable")
        world.faults = []
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(done.report.fetchedCount == whole.report.fetchedCount)
        #expect(done.report.newCount == whole.report.newCount)
        #expect(done.report.newByType.map(\.type) == whole.report.newByType.map(\.type))
        #expect(done.report.completeThrough == RecoveryWorld.days(10))
        if request > 5 { #expect(done.requestCount < whole.requestCount) }
        #expect(Set(try await world.held()) == (try await world.sent(60, 10)))
        try await world.audit()
    }

    @Test(
        "transient failures cost nothing but time",
        arguments: [
            ServedFaultRule(.rateLimited(milliseconds: 500), every: 3),
            ServedFaultRule(.dropped, from: 3, every: 5),
            ServedFaultRule(.half, from: 1, every: 7),
            ServedFaultRule(.clock(milliseconds: 1_800_000), from: 1),
        ])
    func passing(_ rule: ServedFaultRule) async throws {
        var world = try RecoveryWorld()
        world.faults = [rule]
        // Concurrent requests share the faults in any order: none may meet them all.
        world.attemptCount = 12
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        let sent = try await world.sent(60, 10)
        #expect(Set(try await world.held()) == sent)
        #expect(done.report.fetchedCount == Int64(sent.count))
        #expect(done.report.completeThrough == RecoveryWorld.days(10))
    }

    @Test("an expired cursor restarts its slice from the beginning")
    func expired() async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(.error(4_000_017), from: 14, count: 1)]
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(Set(try await world.held()) == (try await world.sent(60, 10)))
        #expect(done.report.reservation == nil)
    }

    @Test(
        "evidence that does not verify or is of another app is refused; nothing is then certain",
        arguments: [ServedFault.badSignature, .anotherApp])
    func spoilt(_ fault: ServedFault) async throws {
        var world = try RecoveryWorld()
        // Sequentially: on a busy machine a response may time out and be requested again, and two
        // corrupted ones could both be such.
        world.faults = [ServedFaultRule(fault, from: 4)]
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(done.report.refusedCount > 0)
        #expect(!done.report.errors.isEmpty)
        #expect(done.report.reservation == .refused)
        #expect(done.report.completeThrough == nil)
        // Everything valid is here all the same, and the next run is complete.
        world.faults = []
        let again = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(again.report.reservation == nil)
        #expect(again.report.completeThrough == RecoveryWorld.days(10))
        #expect(Set(try await world.held()) == (try await world.sent(60, 10)))
    }

    @Test(
        "endless pages end with a reason, and the next run does not get caught in them",
        arguments: [ServedFault.loop, .barren])
    func endless(_ fault: ServedFault) async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(fault, from: 10)]
        let failure = try await world.failure(RecoveryWorld.request(60, 10))
        #expect(failure?.code == "endlessPages")
        world.faults = []
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(done.report.reservation == nil)
        #expect(Set(try await world.held()) == (try await world.sent(60, 10)))
    }

    @Test(
        "a permanent failure is reported with its code, and appends nothing",
        arguments: [
            (ServedFault.status(401), "unauthorized"), (.garbage, "unreadableAnswer"),
            (.status(500), "appleUnavailable"),
        ])
    func lasting(_ fault: ServedFault, _ code: String) async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(fault)]
        let failure = try await world.failure(RecoveryWorld.request(60, 10))
        #expect(failure?.code == code)
        #expect(failure?.description.isEmpty == false)
        #expect(try await world.held().isEmpty)
    }

    @Test("pages whose cursors Apple never accepts: the message says that paging was restarted")
    func tokensRefused() async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(.error(4_000_017))]
        let failure = try #require(try await world.failure(RecoveryWorld.request(60, 10)))
        #expect(failure.code == "refusedByApple")
        #expect(failure.description.contains("4000017"))
        #expect(failure.description.contains("Paging was restarted"))
        #expect(!failure.description.contains("Restart at the first page"))
        #expect(try await world.held().isEmpty)
    }

    @Test("the part older than Apple's history is cut off, and reported")
    func tooOld() async throws {
        let world = try RecoveryWorld()
        let done = try await world.recover(RecoveryWorld.request(200, 150))
        #expect(try #require(done.report.from) > RecoveryWorld.days(180))
        #expect(done.report.completeThrough == RecoveryWorld.days(150))
        let older = try await world.failure(RecoveryWorld.request(300, 200))
        #expect(older?.code == "windowTooOld")
        let open = try await world.ledger.ledger { try await $0.operations.openRecoveries() }
        #expect(open.isEmpty)
    }

    @Test("a clock far behind Apple's does not repeat requests for expired history forever")
    func slowClock() async throws {
        var world = try RecoveryWorld()
        world.ledger.now = RecoveryWorld.now.advanced(byMilliseconds: -3 * 3_600_000)
        let done = try await world.recover(RecoveryWorld.request(200, 150))
        #expect(done.report.completeThrough == RecoveryWorld.days(150))
        // By Apple's clock, not by ours.
        #expect(try #require(done.report.from) > RecoveryWorld.days(180))
        #expect(try #require(done.report.from) < RecoveryWorld.days(179))
    }

    @Test("when Apple refuses every start as too old, that is the final result")
    func everTooOld() async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(.error(4_000_012))]
        let failure = try await world.failure(RecoveryWorld.request(200, 150))
        #expect(failure?.code == "refusedByApple")
    }

    @Test(
        "a log that lost recovered events is recovered from the beginning, however long it is",
        arguments: [0, 150])
    func restored(others: Int64) async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(.dropped, from: 7)]
        #expect(try await world.failure(RecoveryWorld.request(60, 10)) != nil)
        world.faults = []
        let directory = world.ledger.environmentDirectory
        for name in try FileDamage.names(in: directory) where !name.hasPrefix("operations") {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
        let times = RecoveryWorld.times(others, every: 60_000, to: RecoveryWorld.days(70))
        _ = try await world.ledger.ingest(RecoveryWorld.deliveries(at: times))
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(try await world.sent(60, 10).isSubset(of: world.held()))
        #expect(done.report.completeThrough == RecoveryWorld.days(10))
    }

    @Test("one whose beginning leaves Apple's history meanwhile reports what it had fetched")
    func shortened() async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(.error(4_000_012), from: 9, count: 1)]
        let done = try await world.recover(RecoveryWorld.request(200, 150))
        #expect(done.report.completeThrough == RecoveryWorld.days(150))
        #expect(done.report.newCount == Int64(try await world.held().count))
        #expect(done.report.newCount > 0)
    }
}
