internal import AppStore
internal import GRDB
internal import Ledger
internal import LedgerStore

/// The append algorithm, inside one `BEGIN IMMEDIATE`. It reads the head row first instead of
/// cached state, since another process may have appended.
struct AppendTransaction {
    private let database: Database
    private let path: String
    private var headers: HeaderTable
    /// The head row after the events placed.
    private var head: HeadRow
    private var lastLeafHash: Digest?

    private let insertEvent: PreparedStatement
    private let insertEvidence: PreparedStatement
    private let selectEvidence: PreparedStatement

    init(_ database: Database, headers known: KnownHeaders, path: String) throws {
        self.database = database
        self.path = path
        headers = HeaderTable(database, known: known, path: path)
        head = try database.headRow(path)
        insertEvent = try PreparedStatement(
            database, "\(EventRow.insert) ON CONFLICT (key) DO NOTHING")
        insertEvidence = try PreparedStatement(
            database, "INSERT INTO evidence (position, form, bytes) VALUES (?, ?, ?)")
        selectEvidence = try PreparedStatement(
            database, "SELECT form, bytes FROM evidence WHERE position = ?")
    }

    // MARK: Placing events

    /// Appends one event, or finds the existing event it repeats.
    mutating func place(_ event: NewEvent) throws -> AppendResult {
        if let copied = event.copied {
            guard let position = try insert(event, key: copied.key, identity: copied.identity)
            else { throw StoreError.corrupt(path: path, "A copied key is in use.") }
            return copied.isConflict
                ? .conflict(position: position) : .appended(position: position)
        }
        if let position = try insert(event, key: event.key, identity: nil) {
            return .appended(position: position)
        }
        if let position = try findEqual(event) { return .duplicate(of: position) }
        let key = EventKey.conflict(
            identity: event.key, payloadHash: event.evidence.payloadHash)
        guard let position = try insert(event, key: key, identity: event.key) else {
            // Only an event with this payload could hold the key, and none was found.
            throw StoreError.corrupt(path: path, "The key of a conflict is in use.")
        }
        return .conflict(position: position)
    }

    /// The new position, or nil when the key is in use.
    private mutating func insert(
        _ event: NewEvent, key: Digest, identity: Digest?
    ) throws -> Int64? {
        let row = head.next(event, key: key, identity: identity)
        EventRow.bind(row, to: insertEvent)
        guard try insertEvent.run() == 1 else { return nil }
        try insert(event.isTombstone ? nil : event.evidence.packed, at: row.position)
        try erase(event.erasedPositions())
        head.add(row)
        lastLeafHash = row.leafHash
        return row.position
    }

    /// - Parameter evidence: nil for a tombstone.
    private mutating func insert(_ evidence: PackedEvidence?, at position: Int64) throws {
        insertEvidence.bind(1, position)
        guard let evidence else {
            insertEvidence.bind(2, PackedEvidence.Form.verbatim.rawValue)
            insertEvidence.bindNull(3)
            try insertEvidence.run()
            return
        }
        var ids: [Int64] = []
        ids.reserveCapacity(evidence.headers.count)
        for header in evidence.headers {
            ids.append(try headers.id(of: header) ?? headers.insert(header))
        }
        insertEvidence.bind(2, evidence.form.rawValue)
        insertEvidence.bind(3, EvidenceColumn.encode(evidence, headerIds: ids))
        try insertEvidence.run()
    }

    // MARK: Erasing

    /// Turns the events at these positions into tombstones. What was there is overwritten
    /// (https://www.sqlite.org/pragma.html#pragma_secure_delete).
    private func erase(_ positions: [Int64]) throws {
        guard !positions.isEmpty else { return }
        try database.execute(sql: "PRAGMA secure_delete = ON")
        for position in positions {
            for sql in [
                "UPDATE events SET chain = NULL, notification_uuid = NULL WHERE position = ?",
                "UPDATE evidence SET bytes = NULL WHERE position = ?",
            ] {
                guard try database.run(sql, position) == 1 else {
                    throw StoreError.corrupt(
                        path: path, "An erasure names position \(position), which is missing.")
                }
            }
        }
    }

    /// Whether the log has events that the batch does not admit: erasures after its position, or
    /// events after those that its erasure considered, and which may be within its scope: of its
    /// chains, or of several chains or of customers.
    func isOvertaken(_ batch: AppendBatch) throws -> Bool {
        guard let scope = batch.erasure else {
            guard let position = batch.erasuresThrough else { return false }
            return try !database.rows(
                "SELECT 1 FROM events WHERE kind = 10 AND position > ? LIMIT 1", position
            ) { _ in true }.isEmpty
        }
        let chains = Set(scope.chains)
        return try database.rows(
            "SELECT kind, chain FROM events WHERE position > ?", scope.position
        ) { row in
            guard let chain = row.text(1) else {
                return ErasureScope.mayCover(EventKind(code: row.int64(0)))
            }
            return chains.contains(OriginalTransactionId(chain))
        }.contains(true)
    }

    // MARK: Finding equals

    /// The event with the same identity, original or conflict, and equal claims.
    private mutating func findEqual(_ event: NewEvent) throws -> Int64? {
        let known = try database.rows(
            """
            SELECT position, evidence_hash, payload_hash FROM events WHERE key = ?1
            UNION ALL
            SELECT position, evidence_hash, payload_hash FROM events WHERE identity = ?1
            """, event.key
        ) {
            KnownEvent(
                position: $0.int64(0), evidenceHash: $0.digest(1), payloadHash: $0.digest(2))
        }
        guard !known.isEmpty else {
            throw StoreError.corrupt(path: path, "A key is in use, but its event is missing.")
        }
        return try event.repeated(among: known) { try evidence(at: $0) }
    }

    /// Nil when erased.
    private mutating func evidence(at position: Int64) throws -> PackedEvidence? {
        selectEvidence.bind(1, position)
        defer { selectEvidence.reset() }
        guard try selectEvidence.step() else {
            throw StoreError.corrupt(path: path, "Position \(position) has no evidence row.")
        }
        guard !selectEvidence.isNull(1) else { return nil }
        return try selectEvidence.withBytes(1) { bytes in
            try EvidenceColumn.decode(form: selectEvidence.int64(0), bytes) {
                try headers.header($0)
            }
        }
    }

    // MARK: Probing

    /// Rewrites the file's first page unchanged, so that COMMIT has something to make durable.
    /// (SQLite skips an update that changes nothing.)
    func rewriteMark() throws {
        try database.execute(sql: "PRAGMA application_id = \(EventLog.applicationId)")
    }

    // MARK: Finishing

    /// Updates the head row unless nothing was appended. Returns what must be in the file if COMMIT
    /// succeeds.
    func finish() throws -> AppendTrace {
        let tree = head.tree
        if lastLeafHash != nil {
            try database.run(
                """
                UPDATE head SET position = ?, tree = ?, root = ?, newest_received_at = ?
                WHERE id = 1
                """, tree.size, tree.bytes, tree.root, head.newestReceivedAt)
        }
        return AppendTrace(
            lastPosition: tree.size, lastLeafHash: lastLeafHash, headers: headers.known)
    }
}
