package import AppStore
internal import Ledger

/// Reads leaf data back into the row that it commits to (`Log.md` §2).
package enum LeafReader {
    /// Nil for bytes that are not exactly the leaf data of one row.
    ///
    /// - Parameter leafHash: that of a tombstone, whose leaf data is incomplete; nil: that of
    ///   `data`.
    package static func event(_ data: [UInt8], leafHash: Digest? = nil) -> RecordedEvent? {
        var fields = Fields(data)
        guard let position = fields.integer(), let receivedAt = fields.integer(),
            let kind = fields.text().flatMap({ EventKind(rawValue: $0) }),
            let key = fields.digest(), let evidenceHash = fields.digest(),
            let source = fields.text().flatMap({ EventSource(rawValue: $0) }),
            let trust = fields.text().flatMap({ Trust(rawValue: $0) }),
            let isClaimed = fields.flag(), let payloadHash = fields.digest(),
            let bundleId = fields.text()
        else { return nil }
        var attributes = EventAttributes(
            kind: kind, source: source, trust: trust, bundleId: BundleId(bundleId),
            chain: fields.text().map { OriginalTransactionId($0) },
            notificationType: fields.text(), subtype: fields.text(),
            notificationUUID: fields.text().map { NotificationUUID($0) },
            signedAt: fields.integer().map { Timestamp(milliseconds: $0) })
        let identity = fields.digest()
        attributes.rootFingerprint = fields.digest()
        let event = RecordedEvent(
            position: position, key: key, attributes: attributes,
            receivedAt: Timestamp(milliseconds: receivedAt), receivedAtClaimed: isClaimed,
            identity: identity, payloadHash: payloadHash, evidenceHash: evidenceHash,
            leafHash: leafHash)
        // Accepts only the encoding that is hashed, without trailing bytes.
        return event.leafData == data ? event : nil
    }

    /// Fields, each after its length in four big-endian bytes.
    private struct Fields {
        private var rest: ArraySlice<UInt8>

        init(_ data: [UInt8]) { rest = data[...] }

        /// Nil for an absent field, and beyond the end.
        private mutating func bytes() -> [UInt8]? {
            guard rest.count >= 4 else { return nil }
            let length = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            rest = rest.dropFirst(4)
            guard length != .max, rest.count >= Int(length) else { return nil }
            defer { rest = rest.dropFirst(Int(length)) }
            return Array(rest.prefix(Int(length)))
        }

        mutating func text() -> String? {
            bytes().flatMap { String(validating: $0, as: UTF8.self) }
        }

        mutating func integer() -> Int64? {
            guard let bytes = bytes(), bytes.count == 8 else { return nil }
            return Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }

        mutating func digest() -> Digest? { bytes().flatMap { Digest(bytes: $0) } }

        mutating func flag() -> Bool? {
            guard let bytes = bytes(), bytes.count == 1, bytes[0] <= 1 else { return nil }
            return bytes[0] == 1
        }
    }
}
