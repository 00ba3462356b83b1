import Dispatch
import LedgerStore
import LedgerTestSupport
import Synchronization

@testable import Service

/// A disk on which COMMITs fail while it is full, and do not return while it hangs.
final class FaultyDisk: CommitFaults {
    private struct Full: Error {}

    private let isFull = Mutex(false)
    private let isHung = Mutex(false)
    private let hungCount = Atomic(0)
    private let release = DispatchSemaphore(value: 0)
    let commitCount = Atomic(0)

    /// Whether a call waits for it.
    var isAwaited: Bool { hungCount.load(ordering: .acquiring) > 0 }

    func fill(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }
    func hang() { isHung.withLock { $0 = true } }
    func answer() {
        isHung.withLock { $0 = false }
        release.signal()
    }

    func willCommit() throws {
        commitCount.add(1, ordering: .relaxed)
        if isFull.withLock({ $0 }) { throw Full() }
    }

    func didCommit() throws {
        guard isHung.withLock({ $0 }) else { return }
        hungCount.add(1, ordering: .releasing)
        release.wait()
    }

    /// Serves an empty ledger on such a disk, without a projector and without probes.
    static func serving(
        _ body: (FaultyDisk, ServedLedger) async throws -> Void
    ) async throws {
        let disk = FaultyDisk()
        try await LogFaults.$commits.withValue(disk) {
            try await TemporaryLedger().ledger { ledger in
                let served = ServedLedger(ledger, observer: NoServingObserver())
                try await body(disk, served)
            }
        }
    }
}
