public import AppStore
public import Ledger
public import LedgerStore
internal import Synchronization

/// Single events, arrivals and completeness.
extension PostgresLog {
    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await read { [self] connection in
            try connection.run(statements.position.with { $0.add(key) }).first?.int64(0)
        }
        guard let position else { return nil }
        return try await event(at: position)
    }

    public func position(ofKnown event: NewEvent) async throws(StoreError) -> Int64? {
        try await read { [self] connection in
            let known = try KnownEvents(
                connection.run(statements.known.with { $0.add([event.key], digest: { $0 }) }),
                location: location)
            return known[event.key].first {
                $0.evidenceHash == event.evidence.evidenceHash
                    || $0.payloadHash == event.evidence.payloadHash
            }?.position
        }
    }

    public func arrivals(
        of bundleId: BundleId, since: Timestamp, after position: Int64, through end: Int64
    ) async throws(StoreError) -> [NotificationDelivery] {
        try await read { [self] connection in
            let command = statements.arrivals.with {
                $0.add(position)
                $0.add(end)
                $0.add(bundleId.rawValue)
                $0.add(since.milliseconds)
            }
            return try connection.run(command).rows.map { row in
                NotificationDelivery(
                    receivedAt: try row.time(0).clamped, signedAt: try row.time(1).clamped)
            }
        }
    }

    public func sweepPositions(through: Int64) async throws(StoreError) -> [Int64] {
        try await read { [self] connection in
            try connection.run(statements.sweeps.with { $0.add(through) }).rows.map {
                try $0.int64(0)
            }
        }
    }

    public func erasurePositions(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Int64] {
        try await read { [self] connection in
            let command = statements.erasing.erasures.with {
                $0.add(position)
                $0.add(through)
            }
            return try connection.run(command).rows.map { try $0.int64(0) }
        }
    }

    public func decisionPositions(
        after position: Int64, through end: Int64, limit: Int
    ) async throws(StoreError) -> [Int64] {
        try await read { [self] connection in
            let command = statements.decisions.with {
                $0.add(position)
                $0.add(end)
                $0.add(limit)
            }
            return try connection.run(command).rows.map { try $0.int64(0) }
        }
    }

    public func notifications(
        of bundleId: BundleId, signedFrom from: Timestamp, before: Timestamp,
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (found: [LateNotification], next: Int64) {
        let end = min(through, position + LogLimits.scannedEventCount)
        let found = try await read { [self] connection in
            let command = statements.notifications.with {
                $0.add(position)
                $0.add(end)
                $0.add(bundleId.rawValue)
                $0.add(from.milliseconds)
                $0.add(before.milliseconds)
            }
            return try connection.run(command).rows.map { row in
                LateNotification(
                    position: try row.int64(0), receivedAt: try row.time(1),
                    signedAt: try row.time(2))
            }
        }
        return (found, end)
    }
}
