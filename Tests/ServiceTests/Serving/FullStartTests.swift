import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Synchronization
import Testing

@testable import Service

@Suite("Start on a full disk")
struct FullStartTests {
    private final class FullDisk: CommitFaults {
        private struct Full: Error {}

        private let isFull = Mutex(false)
        let commitCount = Atomic(0)

        func fill(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }
        func willCommit() throws {
            commitCount.add(1, ordering: .relaxed)
            if isFull.withLock({ $0 }) { throw Full() }
        }
        func didCommit() throws {}
    }

    @Test("Without any append it is not ready; once there is room it is")
    func notReady() async throws {
        let disk = FullDisk()
        try await LogFaults.$commits.withValue(disk) {
            try await TemporaryLedger().ledger { ledger in
                let served = ServedLedger(
                    ledger, newestReceivedAt: nil, observer: NoServingObserver())
                disk.fill(true)
                #expect(await served.obstacleCode() == "commitOutcomeUnknown")
                #expect(await served.obstacleCode() == "commitOutcomeUnknown")
                disk.fill(false)
                await served.probe()
                #expect(await served.obstacleCode() == nil)
                let head = try await ledger.log.head()
                #expect(head.position == 0)
            }
        }
    }

    @Test("Only the first check writes, if there is no obstacle")
    func once() async throws {
        let disk = FullDisk()
        try await LogFaults.$commits.withValue(disk) {
            try await TemporaryLedger().ledger { ledger in
                let served = ServedLedger(
                    ledger, newestReceivedAt: nil, observer: NoServingObserver())
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
}
