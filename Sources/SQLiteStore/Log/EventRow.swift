internal import AppStore
internal import GRDB
internal import Ledger
internal import LedgerStore

/// The columns of `events`, in the order every statement here names them.
enum EventRow {
    static let columns = """
        position, key, kind, source, trust, bundle_id, chain, notification_type, subtype, \
        notification_uuid, signed_at, received_at, received_at_claimed, conflict, identity, \
        root_fingerprint, payload_hash, evidence_hash, leaf_hash
        """

    /// The statement that inserts a row bound by `bind`.
    static let insert = """
        INSERT INTO events (\(columns))
        VALUES (\(columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")))
        """

    /// The rows after a position, in order: a statement to step.
    static func page(
        _ database: Database, after position: Int64, through: Int64, limit: Int
    ) throws -> PreparedStatement {
        let rows = try PreparedStatement(
            database,
            """
            SELECT \(columns) FROM events
            WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
            """)
        rows.bind(1, position)
        rows.bind(2, through)
        rows.bind(3, Int64(limit))
        return rows
    }

    /// The readable part of a row, marked when something is not. No chain is invented: it is set
    /// only where the row names both the chain and its app. The first columns of the statement are
    /// `columns`.
    static func readable(_ row: PreparedStatement) -> RecordedEvent {
        let (kind, source) = (EventKind(code: row.int64(2)), EventSource(code: row.int64(3)))
        let (trust, bundleId) = (Trust(code: row.int64(4)), row.text(5))
        let (key, payloadHash) = (row.digest(1), row.digest(16))
        let (evidenceHash, leafHash) = (row.digest(17), row.digest(18))
        let hasCodes = kind != nil && source != nil && trust != nil && bundleId != nil
        let hasDigests =
            key != nil && payloadHash != nil && evidenceHash != nil && leafHash != nil
        let isConflict: Bool = row.int64(13) != 0
        let isWhole = hasCodes && hasDigests && isConflict != row.isNull(14)
        let nothing = Digest(words: (0, 0, 0, 0))
        return RecordedEvent(
            position: row.int64(0), key: key ?? nothing,
            attributes: EventAttributes(
                // Placeholders: the fact of a damaged row has no effect.
                kind: kind ?? .transaction, source: source ?? .import, trust: trust ?? .secret,
                bundleId: BundleId(bundleId ?? ""),
                chain: bundleId == nil ? nil : row.text(6).map(OriginalTransactionId.init),
                notificationType: row.text(7), subtype: row.text(8),
                notificationUUID: row.text(9).map(NotificationUUID.init),
                signedAt: row.optionalTime(10), rootFingerprint: row.digest(15)),
            receivedAt: row.time(11), receivedAtClaimed: row.int64(12) != 0,
            identity: row.digest(14), payloadHash: payloadHash ?? nothing,
            evidenceHash: evidenceHash ?? nothing, leafHash: leafHash ?? nothing,
            isDamaged: !isWhole)
    }

    /// The declared type of each column, and whether it may be NULL.
    private static let declared: [(storageClass: StorageClass, isOptional: Bool)] = [
        (.integer, false), (.blob, false), (.integer, false), (.integer, false), (.integer, false),
        (.text, false), (.text, true), (.text, true), (.text, true), (.text, true),
        (.integer, true), (.integer, false), (.integer, false), (.integer, false), (.blob, true),
        (.blob, true), (.blob, false), (.blob, false), (.blob, false),
    ]
    /// Columns that hold 0 or 1, and those that hold a digest or NULL.
    private static let flags: [Int32] = [12, 13]
    private static let optionalDigests: [Int32] = [14, 15]

    /// Whether every column holds the type the schema declares. `readable` accepts a value of
    /// another type that converts to a valid one; an audit does not.
    static func isWellFormed(_ row: PreparedStatement) -> Bool {
        for (column, declaration) in declared.enumerated() {
            let found = row.storageClass(Int32(column))
            guard found == declaration.storageClass || (declaration.isOptional && found == .null)
            else { return false }
        }
        return flags.allSatisfy { row.int64($0) == 0 || row.int64($0) == 1 }
            && optionalDigests.allSatisfy { row.isNull($0) || row.digest($0) != nil }
    }

    /// Binds a whole row.
    static func bind(_ event: RecordedEvent, to statement: PreparedStatement) {
        let attributes = event.attributes
        statement.bind(1, event.position)
        statement.bind(2, event.key)
        statement.bind(3, attributes.kind.code)
        statement.bind(4, attributes.source.code)
        statement.bind(5, attributes.trust.code)
        statement.bind(6, attributes.bundleId.rawValue)
        statement.bind(7, attributes.chain?.rawValue)
        statement.bind(8, attributes.notificationType)
        statement.bind(9, attributes.subtype)
        statement.bind(10, attributes.notificationUUID?.rawValue)
        statement.bind(11, attributes.signedAt?.milliseconds)
        statement.bind(12, event.receivedAt.milliseconds)
        statement.bind(13, event.receivedAtClaimed)
        statement.bind(14, event.isConflict)
        statement.bind(15, event.identity)
        statement.bind(16, attributes.rootFingerprint)
        statement.bind(17, event.payloadHash)
        statement.bind(18, event.evidenceHash)
        statement.bind(19, event.leafHash)
    }
}
