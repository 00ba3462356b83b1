public import AppStore
internal import GRDB
internal import Ledger
public import LedgerStore

/// Input of completeness: sweeps, and notifications recorded after a sweep but signed before it.
extension EventLog {
    /// The attributes of a notification that completeness needs.
    public struct LateNotification: Hashable, Sendable {
        public let position: Int64
        public let receivedAt: Timestamp
        public let signedAt: Timestamp
    }

    /// Positions of sweeps after `position` up to `through`, in order.
    public func sweepPositions(
        after position: Int64 = 0, through: Int64
    ) async throws(StoreError) -> [Int64] {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT position FROM events INDEXED BY events_sweeps
                WHERE kind = 9 AND position > ? AND position <= ? ORDER BY position
                """)
            select.bind(1, position)
            select.bind(2, through)
            defer { select.reset() }
            var positions: [Int64] = []
            while try select.step() { positions.append(select.int64(0)) }
            return positions
        }
    }

    /// Notifications of an app after `position`, up to `through`, signed in `[from, before)`, in
    /// order; those within the next `LogLimits.scannedEventCount` positions, and where to continue.
    /// TEST is Apple's answer to a request and belongs to no history.
    public func notifications(
        of bundleId: BundleId, signedFrom from: Timestamp, before: Timestamp,
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (found: [LateNotification], next: Int64) {
        let end = min(through, position + LogLimits.scannedEventCount)
        let found = try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT position, received_at, signed_at FROM events
                WHERE position > ? AND position <= ? AND kind = 1 AND bundle_id = ?
                    AND signed_at >= ? AND signed_at < ?
                    AND (notification_type IS NULL OR notification_type <> 'TEST')
                ORDER BY position
                """)
            select.bind(1, position)
            select.bind(2, end)
            select.bind(3, bundleId.rawValue)
            select.bind(4, from.milliseconds)
            select.bind(5, before.milliseconds)
            defer { select.reset() }
            var found: [LateNotification] = []
            while try select.step() {
                found.append(
                    LateNotification(
                        position: select.int64(0),
                        receivedAt: Timestamp(milliseconds: select.int64(1)),
                        signedAt: Timestamp(milliseconds: select.int64(2))))
            }
            return found
        }
        return (found, end)
    }
}
