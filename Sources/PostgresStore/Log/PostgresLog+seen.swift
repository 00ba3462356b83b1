internal import AppStore
public import LedgerStore
internal import Synchronization

/// A log that went back: the database no longer holds what this node has seen, after a failover to
/// a standby that was behind, or from a backup.
extension PostgresLog {
    /// The newest event that this node has seen; passed to `open` after a restart.
    public var lastSeen: ProjectionCursor { seen.withLock { $0.last } }

    /// Describes a log that went back, by the first known position that differs; by the newest one
    /// where the others cannot be compared. The result of a comparison is cached for a log that
    /// ends at the same position.
    func loss(_ wentBack: LogWentBack, _ connection: PostgresConnection?) -> StoreError {
        if let known = self.wentBack.withLock({ $0 }), known.head == wentBack.head {
            return known.error
        }
        let (positions, last) = seen.withLock { ($0.positions, $0.last.position) }
        var found: [Int64: Digest] = [:]
        let result = try? connection?.run(
            Statement.log.leaves.bind { $0.add(positions, integer: { $0 }) })
        if let result {
            for row in result.rows {
                if let position = try? row.int64(0), let leaf = row.digest(1) {
                    found[position] = leaf
                }
            }
        }
        let difference = seen.withLock {
            $0.firstDifference(from: found, endingAt: wentBack.head)
        }
        guard result != nil, let difference else {
            return wentBack.error(at: last, isFirst: false, location, environment)
        }
        let error = wentBack.error(
            at: difference.position, isFirst: difference.isFirst, location, environment)
        self.wentBack.withLock { $0 = (wentBack.head, error) }
        return error
    }
}

/// The head does not extend what this node has seen.
struct LogWentBack: Error {
    /// The position of the head that was found.
    let head: Int64

    /// - Parameters:
    ///   - position: a known position that differs.
    ///   - isFirst: whether those before it were compared.
    func error(
        at position: Int64, isFirst: Bool, _ location: String, _ environment: Environment
    ) -> StoreError {
        let place = "\(min(position, head + 1))\(isFirst ? "" : ", or before")"
        let option = "--environment \(environment.rawValue.lowercased())"
        return StoreError(
            .logWentBack, path: location,
            reason: """
                The log differs from what this node has seen at position \(place); it now ends at \
                \(head).
                """,
            remedy: """
                Return to the primary that holds these events, or accept this log by \
                `subledger log accept \(option)` on each node, with the --data of its service, and \
                run `subledger recover \(option)`.
                """)
    }
}
