internal import AppStore
internal import Ledger
internal import LedgerStore

/// The columns of `events`, in the order every statement here names them.
enum EventColumns {
    private static let names = """
        position, key, kind, source, trust, bundle_id, chain, notification_type, subtype, \
        notification_uuid, signed_at, received_at, received_at_claimed, identity, \
        root_fingerprint, payload_hash, evidence_hash, leaf_hash
        """

    /// The rows after $1 up to $2, at most $3.
    static let page = """
        SELECT \(names) FROM @events
        WHERE position > $1::bigint AND position <= $2::bigint
        ORDER BY position LIMIT $3::bigint
        """

    /// Inserts the rows bound by `bind`.
    static let insert = """
        INSERT INTO @events (\(names))
        SELECT \(names.replacing("received_at_claimed", with: "received_at_claimed <> 0"))
        FROM unnest(
            $1::bigint[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[],
            $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bigint[], $12::bigint[],
            $13::bigint[], $14::bytea[], $15::bytea[], $16::bytea[], $17::bytea[], $18::bytea[]
        ) AS new (\(names))
        """

    static func bind(_ events: [RecordedEvent], to parameters: inout Parameters) {
        parameters.add(events, integer: { $0.position })
        parameters.add(events, bytes: { $0.key })
        parameters.add(events, integer: { $0.attributes.kind.code })
        parameters.add(events, integer: { $0.attributes.source.code })
        parameters.add(events, integer: { $0.attributes.trust.code })
        parameters.add(events, bytes: { $0.attributes.bundleId.rawValue })
        parameters.add(events, bytes: { $0.attributes.chain?.rawValue })
        parameters.add(events, bytes: { $0.attributes.notificationType })
        parameters.add(events, bytes: { $0.attributes.subtype })
        parameters.add(events, bytes: { $0.attributes.notificationUUID?.rawValue })
        parameters.add(events, integer: { $0.attributes.signedAt?.milliseconds })
        parameters.add(events, integer: { $0.receivedAt.milliseconds })
        parameters.add(events, integer: { $0.receivedAtClaimed ? 1 : 0 })
        parameters.add(events, bytes: { $0.identity })
        parameters.add(events, bytes: { $0.attributes.rootFingerprint })
        parameters.add(events, bytes: { $0.payloadHash })
        parameters.add(events, bytes: { $0.evidenceHash })
        parameters.add(events, bytes: { $0.leafHash })
    }

    /// The readable part of a row, marked when something is not. No chain is invented: it is set
    /// only where the row names both the chain and its app.
    static func readable(_ row: ResultRow) throws -> RecordedEvent {
        let kind = EventKind(code: try row.int64(2))
        let source = EventSource(code: try row.int64(3))
        let (trust, bundleId) = (Trust(code: try row.int64(4)), row.text(5))
        let (key, payloadHash) = (row.digest(1), row.digest(15))
        let (evidenceHash, leafHash) = (row.digest(16), row.digest(17))
        let (identity, fingerprint) = (row.digest(13), row.digest(14))
        let hasCodes = kind != nil && source != nil && trust != nil && bundleId != nil
        let hasDigests =
            key != nil && payloadHash != nil && evidenceHash != nil && leafHash != nil
            && row.isNull(13) == (identity == nil) && row.isNull(14) == (fingerprint == nil)
        let hasTexts = (6...9).allSatisfy { row.isNull($0) || row.text($0) != nil }
        let nothing = Digest(words: (0, 0, 0, 0))
        return RecordedEvent(
            position: try row.int64(0), key: key ?? nothing,
            attributes: EventAttributes(
                // Placeholders: the fact of a damaged row has no effect.
                kind: kind ?? .transaction, source: source ?? .import, trust: trust ?? .secret,
                bundleId: BundleId(bundleId ?? ""),
                chain: bundleId == nil ? nil : row.text(6).map(OriginalTransactionId.init),
                notificationType: row.text(7), subtype: row.text(8),
                notificationUUID: row.text(9).map(NotificationUUID.init),
                signedAt: try row.optionalTime(10), rootFingerprint: fingerprint),
            receivedAt: try row.time(11), receivedAtClaimed: try row.bool(12),
            identity: identity, payloadHash: payloadHash ?? nothing,
            evidenceHash: evidenceHash ?? nothing, leafHash: leafHash ?? nothing,
            isDamaged: !(hasCodes && hasDigests && hasTexts))
    }
}
