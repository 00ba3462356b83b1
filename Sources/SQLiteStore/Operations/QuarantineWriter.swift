internal import AppStore
internal import GRDB
internal import LedgerStore
internal import Signing

/// Writes to the quarantine inside one transaction, and updates the totals.
struct QuarantineWriter {
    let database: Database

    /// Adds one item, keyed by the digest of its bytes.
    static func add(
        _ item: NewQuarantineItem, to database: Database
    ) throws -> QuarantineResult {
        try QuarantineWriter(database: database).add(item, SHA256.hash(item.bytes))
    }

    func add(_ offered: NewQuarantineItem, _ digest: Digest) throws -> QuarantineResult {
        var item = offered
        let known = try find(digest)
        // The same bytes may have had another standing before.
        if try known?.standing != item.standing.code && !admits(item) {
            guard let otherwise = item.otherwise else { return .refused }
            item.standing = otherwise
            guard try admits(item) else { return .refused }
        }
        if let known {
            try update(known, item)
            try dropOldest()
            return .repeated(id: known.id)
        }
        let id = try insert(item, digest)
        try dropOldest()
        return .kept(id: id)
    }

    func remove(_ id: Int64) throws -> Bool {
        let select = try PreparedStatement(
            database, "SELECT standing, length(bytes) FROM quarantine WHERE id = ?")
        select.bind(1, id)
        defer { select.reset() }
        guard try select.step() else { return false }
        try move(select.int64(0), items: -1, bytes: -select.int64(1))
        let delete = try PreparedStatement(database, "DELETE FROM quarantine WHERE id = ?")
        delete.bind(1, id)
        return try delete.run() == 1
    }

    // MARK: One row

    private struct KnownItem {
        let id: Int64
        let standing: Int64
        let byteCount: Int64
    }

    private func find(_ digest: Digest) throws -> KnownItem? {
        let select = try PreparedStatement(
            database, "SELECT id, standing, length(bytes) FROM quarantine WHERE digest = ?")
        select.bind(1, digest)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return KnownItem(
            id: select.int64(0), standing: select.int64(1), byteCount: select.int64(2))
    }

    private func insert(_ item: NewQuarantineItem, _ digest: Digest) throws -> Int64 {
        let bytes = copy(item)
        let insert = try PreparedStatement(
            database,
            """
            INSERT INTO quarantine (
                digest, received_at, latest_at, attempts, standing, code, part, message,
                bundle_id, environment, input, byte_count, bytes)
            VALUES (?1, ?2, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """)
        insert.bind(1, digest)
        insert.bind(2, item.receivedAt.milliseconds)
        bindReason(item, to: insert, from: 3)
        insert.bind(9, item.input)
        insert.bind(10, Int64(item.bytes.count))
        insert.bind(11, bytes)
        _ = try insert.run()
        try move(item.standing.code, items: 1, bytes: Int64(bytes.count))
        return database.lastInsertedRowID
    }

    private func update(_ known: KnownItem, _ item: NewQuarantineItem) throws {
        let bytes = copy(item)
        let update = try PreparedStatement(
            database,
            """
            UPDATE quarantine SET latest_at = max(latest_at, ?2), attempts = attempts + 1,
                standing = ?3, code = ?4, part = ?5, message = ?6, bundle_id = ?7,
                environment = ?8, bytes = ?9
            WHERE id = ?1
            """)
        update.bind(1, known.id)
        update.bind(2, item.receivedAt.milliseconds)
        bindReason(item, to: update, from: 3)
        update.bind(9, bytes)
        _ = try update.run()
        try move(known.standing, items: -1, bytes: -known.byteCount)
        try move(item.standing.code, items: 1, bytes: Int64(bytes.count))
    }

    private func bindReason(
        _ item: NewQuarantineItem, to statement: PreparedStatement, from first: Int32
    ) {
        statement.bind(first, item.standing.code)
        statement.bind(first + 1, item.code)
        statement.bind(first + 2, item.part)
        statement.bind(first + 3, item.message)
        statement.bind(first + 4, item.bundleId?.rawValue)
        statement.bind(first + 5, item.environment)
    }

    /// The stored copy: all of a genuine or possibly genuine input, a bounded prefix of any other.
    private func copy(_ item: NewQuarantineItem) -> [UInt8] {
        guard item.standing == .unverifiable else { return item.bytes }
        return Array(item.bytes.prefix(QuarantineLimits.unverifiableCopyByteCount))
    }

    // MARK: Bounds

    /// Only genuine inputs of unconfigured apps, and possibly genuine ones of apps without a
    /// secret, can be refused: the first ones are kept, since Apple resends refused ones.
    private func admits(_ item: NewQuarantineItem) throws -> Bool {
        if item.standing == .awaitingSecret {
            let total = try totals(item.standing)
            return total.items < QuarantineLimits.awaitingSecretCount
                && total.bytes + Int64(item.bytes.count)
                    <= QuarantineLimits.awaitingSecretByteCount
        }
        guard item.standing == .genuineForeign else { return true }
        let count = try PreparedStatement(
            database,
            "SELECT count(*) FROM quarantine WHERE standing = ? AND bundle_id IS ?")
        count.bind(1, item.standing.code)
        count.bind(2, item.bundleId?.rawValue)
        defer { count.reset() }
        guard try count.step(),
            count.int64(0) < QuarantineLimits.foreignCountPerBundle
        else { return false }
        return try totals(item.standing).items < QuarantineLimits.foreignCount
    }

    private func dropOldest() throws {
        while true {
            let total = try totals(.unverifiable)
            guard
                total.items > QuarantineLimits.unverifiableCount
                    || total.bytes > QuarantineLimits.unverifiableByteCount
            else { return }
            guard let id = try oldestUnverifiable(), try remove(id) else { return }
        }
    }

    private func oldestUnverifiable() throws -> Int64? {
        let select = try PreparedStatement(
            database, "SELECT min(id) FROM quarantine WHERE standing = ?")
        select.bind(1, QuarantineStanding.unverifiable.code)
        defer { select.reset() }
        return try select.step() ? select.optionalInt64(0) : nil
    }

    private func totals(_ standing: QuarantineStanding) throws -> (items: Int64, bytes: Int64) {
        let select = try PreparedStatement(
            database, "SELECT items, bytes FROM quarantine_totals WHERE standing = ?")
        select.bind(1, standing.code)
        defer { select.reset() }
        guard try select.step() else { return (0, 0) }
        return (select.int64(0), select.int64(1))
    }

    private func move(_ standing: Int64, items: Int64, bytes: Int64) throws {
        let update = try PreparedStatement(
            database,
            """
            UPDATE quarantine_totals SET items = items + ?2, bytes = bytes + ?3
            WHERE standing = ?1
            """)
        update.bind(1, standing)
        update.bind(2, items)
        update.bind(3, bytes)
        _ = try update.run()
    }
}
