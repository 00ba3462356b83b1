public import LedgerStore
import Synchronization

/// This node's lease of a task of a shared log, taken when free and then kept. In a ledger of one
/// node every process has it.
public final class KeptLease: Sendable {
    private let task: ExclusiveTask
    private let ledger: EnvironmentLedger
    private let held = Mutex<(any Lease)?>(nil)
    private let taken = Mutex(0)
    private let nextTry = Mutex(ContinuousClock.now)

    /// Interval between attempts to take a lease that another node has.
    static let pause: Duration = .seconds(1)

    public init(_ task: ExclusiveTask, in ledger: EnvironmentLedger) {
        self.task = task
        self.ledger = ledger
    }

    /// Whether this node has the lease now; tries to take it if not.
    ///
    /// - Parameter isAble: false releases it for another node.
    public func take(if isAble: Bool = true) async throws(StoreError) -> Bool {
        guard ledger.isShared else { return true }
        guard isAble else {
            release()
            return false
        }
        if isHeld { return true }
        release()
        let isDue = nextTry.withLock { next in
            guard next <= .now else { return false }
            next = .now + KeptLease.pause
            return true
        }
        guard isDue else { return false }
        let lease = try await ledger.operations.lease(task)
        held.withLock { $0 = lease }
        if lease != nil { taken.withLock { $0 += 1 } }
        return lease != nil
    }

    /// Whether this node holds the lease now; false in a ledger of one node, which needs none.
    public var isHeld: Bool { held.withLock { $0?.isHeld ?? false } }

    /// How often it was taken: another node may have had it in between.
    public var takenCount: Int { taken.withLock { $0 } }

    /// Releases the lease for another node.
    public func release() { held.withLock { $0 = nil } }
}
