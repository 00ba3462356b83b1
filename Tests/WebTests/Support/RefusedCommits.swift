import LedgerStore
import Synchronization

/// A disk that refuses COMMIT while the test requires it.
final class RefusedCommits: CommitFaults {
    struct Full: Error {}

    private let isRefusing = Mutex(false)

    func refuse(_ isRefusing: Bool) { self.isRefusing.withLock { $0 = isRefusing } }

    func willCommit() throws { if isRefusing.withLock({ $0 }) { throw Full() } }

    func didCommit() throws {}
}
