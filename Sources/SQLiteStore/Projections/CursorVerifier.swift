internal import AppStore
public import LedgerStore
internal import Synchronization

/// Verifies that derived data was made from this log, and not from one that diverged from it.
///
/// A leaf hash commits to one event: two logs that diverged early and continue with the same events
/// have equal leaves again, but never equal trees. A checkpoint therefore stores the tree of its
/// log; joined with the later leaves, it must equal the tree of the log's head. The check is exact,
/// free when nothing was appended since, and otherwise reads the leaves of the appended events.
public final class CursorVerifier: Sendable {
    private let log: any LedgerLog
    private let pageCount: Int64
    /// The last tree confirmed to belong to this log. The log only grows, so it stays valid.
    private let confirmed = Mutex<CompactRange?>(nil)

    /// - Parameter pageCount: leaves read in one transaction; fewer in tests.
    package init(_ log: any LedgerLog, pageCount: Int64 = 10_000) {
        self.log = log
        self.pageCount = pageCount
    }

    /// Whether the data with this checkpoint was derived only from events that this log holds.
    ///
    /// A damaged row of the log gives a different tree. Then only the leaf is compared, so that
    /// damage does not cause a rebuild at every check.
    public func confirms(_ checkpoint: ProjectionCursor) async throws(StoreError) -> Bool {
        let position = checkpoint.position
        guard position > 0 else { return true }
        let event = try await log.row(at: position)
        guard let event, event.leafHash == checkpoint.leafHash else { return false }
        guard let tree = checkpoint.tree, confirmed.withLock({ $0 }) != tree else { return true }
        let head = try await log.tree()
        guard position <= tree.size, tree.size <= head.size else { return false }
        if try await log.extended(tree, through: head.size, by: pageCount) != head {
            guard try await isDamaged(after: tree.size, through: head.size) else { return false }
        }
        confirmed.withLock { $0 = tree }
        return true
    }

    private func isDamaged(after position: Int64, through end: Int64) async throws(StoreError)
        -> Bool
    {
        var last = position
        while last < end {
            let events = try await log.events(after: last, through: end, damaged: .marked)
            for event in events {
                guard event.position == last + 1, !event.isDamaged,
                    event.computedLeafHash() == event.leafHash
                else { return true }
                last = event.position
            }
            if events.isEmpty { return true }
        }
        return false
    }
}
