import LedgerStore
import Synchronization

/// Fails chosen commits, counted from 1, before or after they take effect.
final class FaultScript: CommitFaults {
    struct Failure: Error {}

    private let commits = Mutex(0)
    private let before: Set<Int>
    private let after: Set<Int>

    init(before: Set<Int> = [], after: Set<Int> = []) {
        self.before = before
        self.after = after
    }

    /// The number of commits attempted.
    var count: Int { commits.withLock { $0 } }

    func willCommit() throws {
        let number = commits.withLock { count in
            count += 1
            return count
        }
        if before.contains(number) { throw Failure() }
    }

    func didCommit() throws {
        if after.contains(count) { throw Failure() }
    }
}
