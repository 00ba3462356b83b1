import AppStore
import AppleSync
import LedgerTestSupport
import Simulator
import Testing

@Suite("Concurrent recoveries of one ledger")
struct RecoveryTogetherTests {
    @Test("the same window twice at once: one fetches everything, the other finds it here")
    func equal() async throws {
        let world = try RecoveryWorld()
        let sent = try await world.sent(60, 10)
        async let one = world.recover(RecoveryWorld.request(60, 10))
        async let other = world.recover(RecoveryWorld.request(60, 10))
        let reports = try await [one, other].map(\.report)
        #expect(reports.map(\.newCount).sorted() == [0, Int64(sent.count)])
        #expect(reports.map(\.knownCount).sorted() == [0, Int64(sent.count)])
        #expect(reports.allSatisfy { $0.reservation == nil })
        #expect(Set(try await world.held()) == sent)
        try await world.audit()
    }

    @Test("overlapping windows: events recovered by one are not counted by the other")
    func overlapping() async throws {
        let world = try RecoveryWorld()
        let sent = try await world.sent(60, 10)
        async let one = world.recover(RecoveryWorld.request(60, 20))
        async let other = world.recover(RecoveryWorld.request(50, 10))
        let reports = try await [one, other].map(\.report)
        #expect(reports.reduce(0) { $0 + $1.newCount } == Int64(sent.count))
        #expect(Set(try await world.held()) == sent)
    }

    @Test("what one could not take in, the other does not call complete")
    func refused() async throws {
        var world = try RecoveryWorld()
        world.faults = [ServedFaultRule(.badSignature)]
        let spoilt = world
        async let one = spoilt.recover(RecoveryWorld.request(60, 10))
        async let other = spoilt.recover(RecoveryWorld.request(60, 10))
        for report in try await [one, other].map(\.report) {
            #expect(report.reservation == .refused)
            #expect(report.isFlawed)
            #expect(report.completeThrough == nil)
            #expect(report.knownCount == 0)
            #expect(report.refusedCount == report.fetchedCount)
        }
    }

    @Test("refusals before an interruption are still known to the next run")
    func interrupted() async throws {
        var world = try RecoveryWorld()
        world.faults = [
            ServedFaultRule(.badSignature, from: 3, count: 1), ServedFaultRule(.dropped, from: 20),
        ]
        #expect(try await world.failure(RecoveryWorld.request(60, 10)) != nil)
        world.faults = []
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(done.report.reservation == .refused)
        #expect(done.report.isFlawed)
    }
}
