import AppStore
import Ledger
import Signing
import Synchronization

@testable import LedgerStore

/// The simplest engine that meets the guarantees of `EventStore`: a list under a lock, without
/// files, transactions or a head row.
final class MemoryStore: EventStore {
    let packer = EvidencePacker()
    private let disk: MemoryDisk
    private let isClosed = Mutex(false)

    init(disk: MemoryDisk) { self.disk = disk }

    func close() { isClosed.withLock { $0 = true } }

    private func requireOpen() throws(StoreError) {
        guard isClosed.withLock({ $0 }) else { return }
        throw StoreError(.closed, reason: "The log was closed.", remedy: "Open it again.")
    }

    func append(_ batch: [NewEvent]) async throws(StoreError) -> [AppendResult] {
        try requireOpen()
        _ = try AppendBatch.measure(batch)
        return disk.rows.withLock { rows in batch.map { MemoryStore.place($0, in: &rows) } }
    }

    func position(ofKnown event: NewEvent) async throws(StoreError) -> Int64? {
        disk.rows.withLock { rows in
            rows.rivals(of: event.key).first {
                MemoryStore.claims(of: $0) == MemoryStore.claims(of: event)
            }?.event.position
        }
    }

    private static func place(_ event: NewEvent, in rows: inout MemoryRows) -> AppendResult {
        let rivals = rows.rivals(of: event.key)
        if let equal = rivals.first(where: { claims(of: $0) == claims(of: event) }) {
            return .duplicate(of: equal.event.position)
        }
        let position = Int64(rows.all.count) + 1
        guard !rivals.isEmpty else {
            rows.add(row(event, at: position, key: event.key, identity: nil, after: rows))
            return .appended(position: position)
        }
        var hasher = SHA256Hasher()
        hasher.update(event.key)
        hasher.update(event.evidence.payloadHash)
        rows.add(row(event, at: position, key: hasher.finish(), identity: event.key, after: rows))
        return .conflict(position: position)
    }

    private static func claims(of event: NewEvent) -> Digest? {
        try? EvidenceClaims.digest(event.evidence.packed, kind: event.attributes.kind)
    }

    private static func claims(of logged: LoggedEvent) -> Digest? {
        logged.evidence.flatMap {
            try? EvidenceClaims.digest($0, kind: logged.event.attributes.kind)
        }
    }

    private static func row(
        _ event: NewEvent, at position: Int64, key: Digest, identity: Digest?,
        after rows: MemoryRows
    ) -> LoggedEvent {
        let newest = rows.newestReceivedAt ?? event.receivedAt
        let receivedAt =
            event.receivedAtClaimed ? event.receivedAt : max(event.receivedAt, newest)
        let recorded = RecordedEvent(
            position: position, key: key, attributes: event.attributes, receivedAt: receivedAt,
            receivedAtClaimed: event.receivedAtClaimed, identity: identity,
            payloadHash: event.evidence.payloadHash, evidenceHash: event.evidence.evidenceHash)
        return LoggedEvent(event: recorded, evidence: event.evidence.packed)
    }

    // MARK: Reading

    func head() async throws(StoreError) -> LogHead {
        try requireOpen()
        return disk.rows.withLock { rows in
            var tree = CompactRange()
            for logged in rows.all { tree.append(logged.event.leafHash) }
            return LogHead(
                position: tree.size, root: tree.root, newestReceivedAt: rows.newestReceivedAt)
        }
    }

    func event(at position: Int64) async throws(StoreError) -> LoggedEvent? {
        try requireOpen()
        return disk.rows.withLock { $0.all.first { $0.event.position == position } }
    }

    func events(
        after position: Int64, through: Int64, limit: Int
    ) async throws(StoreError) -> [RecordedEvent] {
        try requireOpen()
        return rows(after: position, through: through, limit: limit).map(\.event)
    }

    func page(
        after position: Int64, through: Int64, limit: Int
    ) async throws(StoreError) -> [LoggedEvent] {
        try requireOpen()
        var byteCount = 0
        var page: [LoggedEvent] = []
        for row in rows(after: position, through: through, limit: limit) {
            guard byteCount < LogLimits.pageByteCount else { break }
            byteCount += row.evidence?.storedByteCount ?? 0
            page.append(row)
        }
        return page
    }

    private func rows(after position: Int64, through: Int64, limit: Int) -> [LoggedEvent] {
        disk.rows.withLock { rows in
            let wanted = rows.all.filter {
                $0.event.position > position && $0.event.position <= through
            }
            return Array(wanted.prefix(max(1, min(limit, LogLimits.pageEventCount))))
        }
    }
}
