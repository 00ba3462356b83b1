internal import AppStore
internal import GRDB
public import LedgerStore
internal import Synchronization

/// Tells whether derived data was made from this very log, and not from one that parted from it.
///
/// A leaf hash commits to one event: two logs that parted early and go on with the same events have
/// the same leaves again. Their trees never agree again. So a checkpoint keeps the tree of its log;
/// joined with the leaves that came since, it must come to the log's own. That is exact, costs nothing
/// where nothing came since, and otherwise half a microsecond for each event that came.
public final class LogWitness: Sendable {
    private let log: EventLog
    private let pageCount: Int64
    /// The tree that was found to be this log's last: the log only grows, so it stays that.
    private let confirmed = Mutex<CompactRange?>(nil)

    /// Leaves that are read in one transaction.
    static let pageCount: Int64 = 10_000

    public convenience init(_ log: EventLog) {
        self.init(log, pageCount: LogWitness.pageCount)
    }

    /// - Parameter pageCount: fewer in tests.
    init(_ log: EventLog, pageCount: Int64) {
        self.log = log
        self.pageCount = pageCount
    }

    /// Whether what has this checkpoint was derived from events that this log holds, all of them.
    ///
    /// A row of the log that is damaged comes to another tree: then only the leaf is compared, so that
    /// it makes nobody derive everything anew, again and again.
    public func confirms(_ checkpoint: Checkpoint) async throws(StoreError) -> Bool {
        let position = checkpoint.position
        guard position > 0 else { return true }
        let event = try await log.events(
            after: position - 1, through: position, limit: 1, damaged: .marked
        ).first
        guard let event, event.leafHash == checkpoint.leafHash else { return false }
        guard let tree = checkpoint.tree, confirmed.withLock({ $0 }) != tree else { return true }
        let head = try await log.tree()
        guard position <= tree.size, tree.size <= head.size else { return false }
        if try await joined(tree, through: head.size) != head {
            guard try await isDamaged(after: tree.size, through: head.size) else { return false }
        }
        confirmed.withLock { $0 = tree }
        return true
    }

    /// The tree with the leaves of the log up to `end`; nil when one is missing.
    private func joined(
        _ tree: CompactRange, through end: Int64
    ) async throws(StoreError) -> CompactRange? {
        var tree = tree
        while tree.size < end {
            let next = try await log.join(tree, through: min(end, tree.size + pageCount))
            guard let next, next.size > tree.size else { return nil }
            tree = next
        }
        return tree
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

extension EventLog {
    /// The tree over everything in the log as of now, other processes' appends included.
    public func tree() async throws(StoreError) -> CompactRange {
        try await read { [path] database in try HeadRow.read(database, path: path).tree }
    }

    /// The tree with the leaves behind it, up to `end`; nil when one is missing.
    fileprivate func join(
        _ tree: CompactRange, through end: Int64
    ) async throws(StoreError) -> CompactRange? {
        try await read { database in
            let select = try BoundStatement(
                database,
                """
                SELECT position, leaf_hash FROM events
                WHERE position > ? AND position <= ? ORDER BY position
                """)
            select.bind(1, tree.size)
            select.bind(2, end)
            defer { select.reset() }
            var tree = tree
            while try select.step() {
                guard select.int64(0) == tree.size + 1, let leaf = select.digest(1) else {
                    return nil
                }
                tree.append(leaf)
            }
            return tree
        }
    }
}
