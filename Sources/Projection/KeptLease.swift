public import LedgerStore
import Synchronization

/// The right of this node to a task of a shared log, taken when it is free and kept. In a ledger of
/// one node every process has it.
public final class KeptLease: Sendable {
    private let task: ExclusiveTask
    private let ledger: EnvironmentLedger
    private let held = Mutex<(any Lease)?>(nil)
    private let taken = Mutex(0)
    private let nextTry = Mutex(ContinuousClock.now)

    /// How long a node waits before it asks again for a task that another one has.
    static let pause: Duration = .seconds(1)

    public init(_ task: ExclusiveTask, in ledger: EnvironmentLedger) {
        self.task = task
        self.ledger = ledger
    }

    /// Whether this node has the right now.
    ///
    /// - Parameter isAble: false gives it back, for another node to take.
    public func take(if isAble: Bool = true) async throws(StoreError) -> Bool {
        guard ledger.isShared else { return true }
        guard isAble else {
            release()
            return false
        }
        if let lease = held.withLock({ $0 }), lease.isHeld { return true }
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

    /// Rises whenever it is taken: another node may have had it in between.
    public var takenCount: Int { taken.withLock { $0 } }

    /// Lets another node have it.
    public func release() { held.withLock { $0 = nil } }
}
