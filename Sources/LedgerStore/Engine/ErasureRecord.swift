public import AppStore
public import Ledger
internal import Signing

/// An erasure with the remaining rows of the events it erased, to apply it again to an older backup
/// of the same log.
public struct ErasureRecord: Sendable {
    public let erasure: Erasure
    /// The rows of the erased events, in order.
    let rows: [RecordedEvent]
    /// When it was carried out.
    let receivedAt: Timestamp
    /// The leaf hash at position 1, which identifies the log.
    let firstLeafHash: Digest

    /// The erasures of a log, in order, without those that an audit calls implausible.
    ///
    /// - `skipsDamaged`: whether erasures that cannot be read are left out.
    ///
    /// Throws the errors of reading the log.
    public static func all(
        of log: any LedgerLog, skippingDamaged skipsDamaged: Bool = false
    ) async throws(StoreError) -> [ErasureRecord] {
        guard let first = try await log.leafHashes(after: 0, through: 1).first else { return [] }
        var records: [ErasureRecord] = []
        for position in try await log.erasurePositions(after: 0, through: .max) {
            do throws(StoreError) {
                if let found = try await record(at: position, of: log, first) {
                    records.append(found)
                }
            } catch {
                guard skipsDamaged, error.isDamage else { throw error }
            }
        }
        return records
    }

    private static func record(
        at position: Int64, of log: any LedgerLog, _ firstLeafHash: Digest
    ) async throws(StoreError) -> ErasureRecord? {
        guard let logged = try await log.event(at: position),
            let erasure = try logged.originalBytes().flatMap({ Erasure(evidence: $0) }),
            erasure.isPlausible(at: position)
        else { return nil }
        var rows: [RecordedEvent] = []
        for position in erasure.positions {
            rows += try await log.events(after: position - 1, through: position)
        }
        return ErasureRecord(
            erasure: erasure, rows: rows, receivedAt: logged.event.receivedAt,
            firstLeafHash: firstLeafHash)
    }
}

extension ErasureRecord {
    // MARK: Lines

    /// One line of JSON.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("receivedAt", receivedAt.milliseconds)
            json.member("firstLeafHash", firstLeafHash)
            json.objects("rows", rows) { json, row in
                let data = Base64.standard.encode(row.leafData)
                json.member("row", String(decoding: data, as: UTF8.self))
                json.member("leafHash", row.leafHash)
            }
            json.key("erasure")
            json.raw(erasure.evidence)
        }
    }

    /// Parses one line; nil for anything else.
    public init?(line: [UInt8]) {
        guard let json = try? JSONValue.parse(line), let receivedAt = json["receivedAt"]?.int64,
            let first = json["firstLeafHash"]?.string.flatMap({ Digest(hexadecimal: $0) }),
            let erasure = json["erasure"].flatMap({ Erasure(evidence: $0.encoded()) })
        else { return nil }
        let rows = json["rows"]?.array?.compactMap { ErasureRecord.row($0) } ?? []
        guard rows.map(\.position) == erasure.positions, erasure.isPlausible else { return nil }
        self.init(
            erasure: erasure, rows: rows,
            receivedAt: Timestamp(milliseconds: receivedAt).clamped, firstLeafHash: first)
    }

    private static func row(_ json: JSONValue) -> RecordedEvent? {
        guard let text = json["row"]?.string,
            let data = Base64.standard.decode(Array(text.utf8)),
            let leafHash = json["leafHash"]?.string.flatMap({ Digest(hexadecimal: $0) }),
            let row = LeafReader.event(data, leafHash: leafHash),
            row.attributes.chain == nil, row.attributes.notificationUUID == nil
        else { return nil }
        return row
    }

    // MARK: Applying

    /// Whether a log starts with the first event of this erasure's log, and has no other decision
    /// under the key of an erased one, since clients choose those keys.
    public func belongs(to log: any LedgerLog) async throws(StoreError) -> Bool {
        guard try await log.leafHashes(after: 0, through: 1) == [firstLeafHash] else {
            return false
        }
        for row in rows where row.attributes.kind == .command {
            let found = try await log.event(key: row.key)?.event
            guard found == nil || found?.evidenceHash == row.evidenceHash else { return false }
        }
        return true
    }

    /// Erases the same events and returns true, unless the log already has this erasure. Events are
    /// found by key, since appends of earlier erasures shift positions. Erased events that the log
    /// lacks are appended as tombstones: their keys make redeliveries by Apple duplicates, and the
    /// facts of the erasure get their new positions.
    ///
    /// Another person's erasure under the same key, which earlier releases took as a conflict, does
    /// not stand for this one.
    ///
    /// Throws as `LedgerLog.erase`.
    public func apply(to log: any LedgerLog) async throws(StoreError) -> Bool {
        let key = EventKey.make(.erasure, [erasure.id])
        let found = try await log.event(key: key)?.originalBytes()
        guard !isSame(as: found.flatMap { Erasure(evidence: $0) }) else { return false }
        var places: [Int64: Int64] = [:]
        for row in rows {
            places[row.position] = try await log.event(key: row.key)?.event.position
        }
        let missing = rows.filter { places[$0.position] == nil }
        let end = try await log.head().position
        for batch in EventBatches(missing.map { NewEvent(copying: $0, nil) }) {
            _ = try await log.append(Array(batch))
        }
        for (row, position) in zip(missing, (end + 1)...) { places[row.position] = position }
        let again = erasure.moved { places[$0] ?? $0 }
        let event = try NewEvent(again, receivedAt: receivedAt, packer: log.packer)
        return try await log.erase(event, within: ErasureScope(through: .max, chains: []))
            .isWritten
    }

    /// Whether another log's erasure is this one; there its events may have other positions.
    private func isSame(as other: Erasure?) -> Bool {
        other?.moved { _ in 0 } == erasure.moved { _ in 0 }
    }
}
