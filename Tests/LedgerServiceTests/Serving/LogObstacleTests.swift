import AppStore
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

    @Test(
        "After a disk was full, however it said so, only enough room is a sign; a lock needs none")
    func room() {
        let least = ServedLedger.leastFreeByteCount
        for code in [StoreError.Code.diskFull, .commitOutcomeUnknown] {
            let error = StoreError(code, reason: "", remedy: "")
            #expect(ServedLedger.isWritable(after: error, freeByteCount: least))
            #expect(!ServedLedger.isWritable(after: error, freeByteCount: least - 1), "\(code)")
        }
        let locked = StoreError(.fileLocked, reason: "", remedy: "")
        #expect(ServedLedger.isWritable(after: locked, freeByteCount: 0))
        #expect(ServedLedger.isWritable(after: nil, freeByteCount: 0))
    }
}
