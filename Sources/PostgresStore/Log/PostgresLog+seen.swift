internal import AppStore
public import LedgerStore
internal import Synchronization

/// A log that went back: the database no longer holds what this node has seen, after a failover to
/// a standby that was behind, or from a backup.
extension PostgresLog {
    /// The newest event that this node has seen; passed to `open` after a restart.
    public var lastSeen: ProjectionCursor { seen.withLock { $0.last } }

    /// Accepts the log as it is now: an operator decided that what is missing is lost, or will be
    /// fetched again.
    public func acceptHead() {
        seen.withLock { $0 = SeenLeaves() }
        knownHeaders.withLock { $0 = KnownHeaders() }
        state.withLock { $0.loss = nil }
    }

    /// Throws `logWentBack` when the log does not hold the newest event that this node has seen.
    func requireSeen() async throws(StoreError) {
        let last = lastSeen
        guard last.position > 0 else { return }
        let difference = try await appender.run(location) { [self] slot -> StoreError? in
            let results = try slot.connection().run([
                statements.leaf.with { $0.add(last.position) }, statements.readHead.with(),
            ])
            guard results[0].first?.digest(0) != last.leafHash else { return nil }
            let head = try HeadRow(results[1], location: location).tree.size
            return loss(LogWentBack(head: head), try slot.connection())
        }
        if let difference { throw difference }
    }

    /// Describes a log that went back, by the first position that differs.
    func loss(_ wentBack: LogWentBack, _ connection: PostgresConnection?) -> StoreError {
        let positions = seen.withLock { $0.positions }
        var found: [Int64: Digest] = [:]
        let result = try? connection?.run(
            statements.leaves.with { $0.add(positions, integer: { $0 }) })
        if let result {
            for row in result.rows {
                if let position = try? row.int64(0), let leaf = row.digest(1) {
                    found[position] = leaf
                }
            }
        }
        let differs = seen.withLock { $0.firstDifference(from: found) } ?? wentBack.head + 1
        let first = min(differs, wentBack.head + 1)
        return StoreError(
            .logWentBack, path: location,
            reason: """
                The log differs from what this node has seen at position \(first); \
                it now ends at \(wentBack.head).
                """,
            remedy: """
                Return to the primary that holds these events, or accept this log by \
                `subledger log accept` on each node and run `subledger recover`.
                """)
    }
}
