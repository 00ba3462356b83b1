import AppStore
import Dispatch
import Ledger
import LedgerStore
import Signing
import Synchronization
import Testing

@testable import LedgerService

/// When a service says that it can accept events again.
@Suite("What keeps the log from being written")
struct LogObstacleTests {
    private final class FullDisk: CommitFaults {
        private struct Full: Error {}

        private let isFull = Mutex(false)

        func fill(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }
        func willCommit() throws { if isFull.withLock({ $0 }) { throw Full() } }
        func didCommit() throws {}
    }

    private static func event(_ id: String) throws -> NewEvent {
        NewEvent(
            key: EventKey.make(.notification, [id]),
            attributes: EventAttributes(
                kind: .notification, source: .webhook, trust: .signed,
                bundleId: BundleId(MadeChain.app)),
            receivedAt: Timestamp(milliseconds: 1_000),
            evidence: try EvidencePacker().pack(.verbatim(Array(id.utf8))))
    }

    @Test("An event that is known is no sign that another can be written")
    func known() async throws {
        let disk = FullDisk()
        try await LogFaults.$commits.withValue(disk) {
            try await TemporaryLedger().ledger { ledger in
                // Nobody projects here, and nobody looks whether it has become better.
                let served = ServedLedger(
                    ledger, newestReceivedAt: nil, observer: NoServingObserver())
                let (first, second) = try (
                    LogObstacleTests.event("a"), LogObstacleTests.event("b")
                )
                #expect(try await served.append([first]) == [.appended(position: 1)])
                disk.fill(true)
                await #expect(throws: StoreError.self) { try await served.append([second]) }
                #expect(served.obstacle?.code == .commitOutcomeUnknown)
                // What writes nothing needs no room: SQLite commits it on a full disk, too.
                disk.fill(false)
                #expect(try await served.append([first]) == [.duplicate(of: 1)])
                #expect(served.obstacle?.code == .commitOutcomeUnknown)
                #expect(
                    try await served.append([first, second]) == [
                        .duplicate(of: 1), .appended(position: 2),
                    ])
                #expect(served.obstacle == nil)
            }
        }
    }

    @Test("A log whose every COMMIT fails is not ready, however much room there is")
    func refused() async throws {
        let disk = FullDisk()
        try await LogFaults.$commits.withValue(disk) {
            try await TemporaryLedger().ledger { ledger in
                let served = ServedLedger(
                    ledger, newestReceivedAt: nil, observer: NoServingObserver())
                let (first, second) = try (
                    LogObstacleTests.event("a"), LogObstacleTests.event("b")
                )
                _ = try await served.append([first])
                let head = try await ledger.log.head()
                disk.fill(true)
                await #expect(throws: StoreError.self) { try await served.append([second]) }
                // Twice: the first look finds a writer that was given up.
                for _ in 0..<2 {
                    await served.probe()
                    #expect(await served.obstacleCode() == "commitOutcomeUnknown")
                }
                disk.fill(false)
                await served.probe()
                #expect(await served.obstacleCode() == nil)
                // The look itself left nothing behind.
                #expect(try await ledger.log.head() == head)
                #expect(try await served.append([second]) == [.appended(position: 2)])
            }
        }
    }

    /// A disk that takes a COMMIT and does not answer until it is let.
    private final class HungDisk: CommitFaults {
        private let isHung = Mutex(false)
        private let release = DispatchSemaphore(value: 0)

        func hang() { isHung.withLock { $0 = true } }
        func answer() {
            isHung.withLock { $0 = false }
            release.signal()
        }
        func willCommit() throws { if isHung.withLock({ $0 }) { release.wait() } }
        func didCommit() throws {}
    }

    @Test("A COMMIT that does not come back is told once it took too long, and no moment before")
    func stalled() async throws {
        let disk = HungDisk()
        try await LogFaults.$commits.withValue(disk) {
            try await TemporaryLedger().ledger { ledger in
                let served = ServedLedger(
                    ledger, newestReceivedAt: nil, observer: NoServingObserver())
                let (first, second) = try (
                    LogObstacleTests.event("a"), LogObstacleTests.event("b")
                )
                _ = try await served.append([first])
                #expect(ledger.log.writingSince == nil)
                disk.hang()
                async let hanging = served.append([second])
                var since: ContinuousClock.Instant?
                while since == nil {
                    await Task.yield()
                    since = ledger.log.writingSince
                }
                let last = try #require(since).advanced(by: ServedLedger.stallLimit)
                #expect(await served.obstacleCode(at: last.advanced(by: .nanoseconds(-1))) == nil)
                #expect(await served.obstacleCode(at: last) == "appendStalled")
                disk.answer()
                #expect(try await hanging == [.appended(position: 2)])
                _ = try await served.append([first])
                #expect(await served.obstacleCode(at: last) == nil)
            }
        }
    }

    @Test("A log that hangs while it is tried again keeps nobody who projects waiting")
    func hangingTry() async throws {
        let (disk, hung) = (FullDisk(), HungDisk())
        let both = BothDisks(disk, hung)
        try await LogFaults.$commits.withValue(both) {
            try await TemporaryLedger().ledger { ledger in
                let served = ServedLedger(
                    ledger, newestReceivedAt: nil, observer: NoServingObserver())
                let (first, second) = try (
                    LogObstacleTests.event("a"), LogObstacleTests.event("b")
                )
                _ = try await served.append([first])
                disk.fill(true)
                await #expect(throws: StoreError.self) { try await served.append([second]) }
                disk.fill(false)
                hung.hang()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        let cores = CoreWatch()
                        await ProjectionLoop(served: served, cores: cores).run()
                    }
                    while ledger.log.writingSince == nil { await Task.yield() }
                    #expect(
                        try await served.snapshot(atLeast: 1, limit: .seconds(30)).position == 1)
                    #expect(await served.obstacleCode() == "commitOutcomeUnknown")
                    hung.answer()
                    served.stop()
                    try await group.waitForAll()
                }
            }
        }
    }

    /// Two disks' troubles at once.
    private final class BothDisks: CommitFaults {
        private let disks: [any CommitFaults]

        init(_ disks: any CommitFaults...) { self.disks = disks }
        func willCommit() throws { for disk in disks { try disk.willCommit() } }
        func didCommit() throws { for disk in disks { try disk.didCommit() } }
    }
}
