public import AppStore
public import Ledger

/// An erasure with what identifies the log it belongs to, so that it can be applied again to an
/// older backup of that log.
public struct ErasureRecord: Sendable {
    public let erasure: Erasure
    /// The leaf hash at each of its positions.
    let leafHashes: [Digest]
    /// When it was carried out.
    let receivedAt: Timestamp

    /// The erasures of a log, in order.
    ///
    /// Throws the errors of reading the log.
    public static func all(of log: any LedgerLog) async throws(StoreError) -> [ErasureRecord] {
        var records: [ErasureRecord] = []
        for position in try await log.erasurePositions(after: 0, through: .max) {
            guard let logged = try await log.event(at: position),
                let erasure = try logged.originalBytes().flatMap({ Erasure(evidence: $0) })
            else { continue }
            var leafHashes: [Digest] = []
            for position in erasure.positions {
                leafHashes += try await log.leafHashes(after: position - 1, through: position)
            }
            records.append(
                ErasureRecord(
                    erasure: erasure, leafHashes: leafHashes,
                    receivedAt: logged.event.receivedAt))
        }
        return records
    }

    private init(erasure: Erasure, leafHashes: [Digest], receivedAt: Timestamp) {
        self.erasure = erasure
        self.leafHashes = leafHashes
        self.receivedAt = receivedAt
    }

    // MARK: Lines

    /// One line of JSON.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("receivedAt", receivedAt.milliseconds)
            json.array("leafHashes", leafHashes)
            json.key("erasure")
            json.raw(erasure.evidence)
        }
    }

    /// Parses one line; nil for anything else.
    public init?(line: [UInt8]) {
        guard let json = try? JSONValue.parse(line), let receivedAt = json["receivedAt"]?.int64,
            let erasure = json["erasure"].flatMap({ Erasure(evidence: $0.encoded()) })
        else { return nil }
        let leafHashes = json["leafHashes"]?.array?.compactMap { entry in
            entry.string.flatMap { Digest(hexadecimal: $0) }
        }
        guard let leafHashes, leafHashes.count == erasure.positions.count else { return nil }
        self.init(
            erasure: erasure, leafHashes: leafHashes,
            receivedAt: Timestamp(milliseconds: receivedAt).clamped)
    }

    // MARK: Applying

    /// Whether a log has the events that the erasure names, as far as it reaches.
    public func belongs(to log: any LedgerLog) async throws(StoreError) -> Bool {
        let end = try await log.head().position
        for (position, leaf) in zip(erasure.positions, leafHashes) where position <= end {
            guard try await log.leafHashes(after: position - 1, through: position) == [leaf] else {
                return false
            }
        }
        return true
    }

    /// Erases the same events, unless the log has this erasure already; whether it did.
    ///
    /// Throws as `LedgerLog.erase`.
    public func apply(to log: any LedgerLog) async throws(StoreError) -> Bool {
        let key = EventKey.make(.erasure, [erasure.id])
        guard try await log.event(key: key) == nil else { return false }
        let end = try await log.head().position
        let again = erasure.reapplied(through: end, at: end + 1)
        let event = NewEvent(
            key: key,
            attributes: EventAttributes(
                kind: .erasure, source: .operator, trust: .operator, bundleId: BundleId("")),
            receivedAt: receivedAt, evidence: try log.packer.pack(.verbatim(again.evidence)))
        _ = try await log.erase(event, within: ErasureScope(through: .max, chains: []))
        return true
    }
}
