import AppStore
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Synchronization
import Testing

@testable import Service

@Suite("Start on a full disk")
struct FullStartTests {
    @Test("Without any append it is not ready; once there is room it is")
    func notReady() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            disk.fill(true)
            #expect(await served.obstacleCode() == "commitOutcomeUnknown")
            #expect(await served.obstacleCode() == "commitOutcomeUnknown")
            disk.fill(false)
            await served.probe()
            #expect(await served.obstacleCode() == nil)
            let head = try await served.ledger.log.head()
            #expect(head.position == 0)
        }
    }

    @Test("Only the first check writes, if there is no obstacle")
    func once() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            let start = ContinuousClock.now
            #expect(await served.obstacleCode(at: start) == nil)
            let count = disk.commitCount.load(ordering: .relaxed)
            #expect(count > 0)
            let later = start.advanced(by: ServedLedger.checkInterval * 1_000)
            #expect(await served.obstacleCode(at: later) == nil)
            #expect(disk.commitCount.load(ordering: .relaxed) == count)
        }
    }
}
