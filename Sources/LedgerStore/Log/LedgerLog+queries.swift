public import AppStore
public import Ledger

/// The reads whose statements all engines share.
extension LedgerLog {
    /// The position of the stored event that appending this one would repeat, determined from equal
    /// bytes or equal payloads; nil when there is none. Takes no lock, so it also works while the
    /// log cannot be written.
    public func position(ofKnown event: NewEvent) async throws(StoreError) -> Int64? {
        try await rows(
            """
            SELECT position, evidence_hash, payload_hash FROM @events WHERE key = $1::bytea
            UNION ALL
            SELECT position, evidence_hash, payload_hash FROM @events
            WHERE identity = $1::bytea
            """, event.key
        ) { row in
            let isEqual =
                row.digest(1) == event.evidence.evidenceHash
                || row.digest(2) == event.evidence.payloadHash
            return try isEqual ? row.int64(0) : nil
        }.min()
    }

    /// The event with this key, or nil; a conflict has a different key (`EventKey`).
    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await rows("SELECT position FROM @events WHERE key = $1::bytea", key) {
            try $0.int64(0)
        }.first
        guard let position else { return nil }
        return try await event(at: position)
    }

    /// The leaf hashes after `position` up to and including `through`, in order, of at most
    /// `LogLimits.scannedEventCount` rows; fewer than requested where the log is shorter or a row
    /// is missing or damaged.
    public func leafHashes(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Digest] {
        let end = min(through, position + LogLimits.scannedEventCount)
        return try await rows(
            """
            SELECT leaf_hash FROM @events
            WHERE position > $1::bigint AND position <= $2::bigint ORDER BY position
            """, position, end
        ) { $0.digest(0) }
    }

    /// A tree extended by the next leaves of the log, up to `end`; nil where one is missing or
    /// damaged.
    ///
    /// - Parameter count: leaves read in one transaction, at most `LogLimits.scannedEventCount`.
    package func extended(
        _ tree: CompactRange, through end: Int64, by count: Int64 = LogLimits.scannedEventCount
    ) async throws(StoreError) -> CompactRange? {
        var tree = tree
        while tree.size < end {
            let stretch = min(end, tree.size + count)
            let leaves = try await leafHashes(after: tree.size, through: stretch)
            guard Int64(leaves.count) == stretch - tree.size else { return nil }
            for leaf in leaves { tree.append(leaf) }
        }
        return tree
    }

    /// The end of the log, and the leaf hashes of the block there that is not full
    /// (`LogLimits.provenBlockCount`).
    public func edge() async throws(StoreError) -> (head: LogHead, leaves: [Digest]) {
        let head = try await head()
        guard head.lastBlockEnd < head.position else { return (head, []) }
        return (head, try await leafHashes(after: head.lastBlockEnd, through: head.position))
    }

    /// Positions of sweeps up to `through`, in order.
    public func sweepPositions(through: Int64) async throws(StoreError) -> [Int64] {
        try await rows(
            """
            SELECT position FROM @events /*events_sweeps*/
            WHERE kind = 9 AND position <= $1::bigint ORDER BY position
            """, through
        ) { try $0.int64(0) }
    }

    /// Positions of erasures after `position` up to and including `through`, in order.
    public func erasurePositions(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Int64] {
        try await rows(
            """
            SELECT position FROM @events /*events_erasures*/
            WHERE kind = 10 AND position > $1::bigint AND position <= $2::bigint
            ORDER BY position
            """, position, through
        ) { try $0.int64(0) }
    }

    /// Positions of commands up to and including `end`, newest first, without those of clients
    /// (claims); at most `limit`.
    public func decisionPositions(
        through end: Int64, limit: Int
    ) async throws(StoreError) -> [Int64] {
        try await rows(
            """
            SELECT position FROM @events /*events_decisions*/
            WHERE kind = 8 AND source <> 3 AND position <= $1::bigint
            ORDER BY position DESC LIMIT $2::bigint
            """, end, limit
        ) { try $0.int64(0) }
    }

    /// Deliveries of an app's notifications at the positions after `position` through `end`, newest
    /// positions first, received at or after `since`: those that Apple made, and those whose time
    /// is stated by a line that was imported.
    public func arrivals(
        of bundleId: BundleId, since: Timestamp, after position: Int64, through end: Int64
    ) async throws(StoreError) -> [NotificationDelivery] {
        try await rows(
            """
            SELECT received_at, signed_at FROM @events
            WHERE position > $1::bigint AND position <= $2::bigint AND kind = 1
                AND bundle_id = $3::bytea AND received_at >= $4::bigint
                AND signed_at IS NOT NULL
                AND (source = 1 OR (source = 4 AND received_at_claimed))
            ORDER BY position DESC
            """, position, end, bundleId, since
        ) { row in
            NotificationDelivery(
                receivedAt: try row.time(0).clamped, signedAt: try row.time(1).clamped)
        }
    }

    /// When the first event after `position` through `end` was appended whose time no import line
    /// claims; nil without one. Events before it were appended earlier.
    public func firstAppend(
        after position: Int64, through end: Int64
    ) async throws(StoreError) -> Timestamp? {
        try await rows(
            """
            SELECT received_at FROM @events
            WHERE position > $1::bigint AND position <= $2::bigint
                AND NOT received_at_claimed
            ORDER BY position LIMIT 1
            """, position, end
        ) { try $0.time(0) }.first
    }

    /// Notifications after `position`, up to `through`, in order, that show a sweep to be
    /// incomplete: those signed within `window`, and those of version 1 that Apple delivered,
    /// without their date. Those within the next `LogLimits.scannedEventCount` positions, and where
    /// to continue. TEST is Apple's answer to a request and belongs to no history.
    public func notifications(
        signedIn window: CompleteWindow?, after position: Int64, through: Int64
    ) async throws(StoreError) -> (found: [DeliveredNotification], next: Int64) {
        let end = min(through, position + LogLimits.scannedEventCount)
        guard let window else {
            let found = try await rows(
                """
                SELECT position, bundle_id, received_at, CASE kind WHEN 1 THEN signed_at END
                FROM @events /*events_version_one*/
                WHERE kind = 7 AND source = 1 AND position > $1::bigint AND position <= $2::bigint
                ORDER BY position
                """, position, end, read: DeliveredNotification.init)
            return (found, end)
        }
        let found = try await rows(
            """
            SELECT position, bundle_id, received_at, CASE kind WHEN 1 THEN signed_at END
            FROM @events
            WHERE position > $1::bigint AND position <= $2::bigint
                AND (kind = 7 AND source = 1
                    OR kind = 1 AND signed_at >= $3::bigint AND signed_at < $4::bigint
                    AND (notification_type IS NULL OR notification_type <> 'TEST'::bytea))
            ORDER BY position
            """, position, end, window.from, window.through, read: DeliveredNotification.init)
        return (found, end)
    }
}

/// A notification as `LedgerLog.notifications` reads it.
public struct DeliveredNotification: Sendable {
    public let position: Int64
    public let bundleId: BundleId
    public let receivedAt: Timestamp
    /// Nil: version 1.
    public let signedAt: Timestamp?

    init(_ row: any SQLRow) throws {
        position = try row.int64(0)
        bundleId = BundleId(try row.requiredText(1))
        receivedAt = try row.time(2)
        signedAt = try row.optionalTime(3)
    }
}
