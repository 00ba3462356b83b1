internal import AppStore
internal import LedgerStore

/// Writes to the quarantine inside one transaction, and updates the totals.
struct QuarantineWriter {
    let transaction: OperationsTransaction

    /// Adds one item, keyed by the digest of its bytes.
    func add(_ offered: NewQuarantineItem, _ digest: Digest) throws -> QuarantineResult {
        var item = offered
        let known = try find("digest = $1::bytea", digest)
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
        guard let known = try find("id = $1::bigint", id) else { return false }
        try move(known.standing, items: -1, bytes: -known.byteCount)
        try transaction.run("DELETE FROM @quarantine WHERE id = $1::bigint", id)
        return true
    }

    // MARK: One row

    private struct KnownItem {
        let id: Int64
        let standing: Int64
        let byteCount: Int64
    }

    private func find(_ condition: String, _ value: any BoundValue) throws -> KnownItem? {
        let row = try transaction.run(
            "SELECT id, standing, octet_length(bytes) FROM @quarantine WHERE \(condition)", value
        ).first
        return try row.map { row in
            KnownItem(
                id: try row.int64(0), standing: try row.int64(1), byteCount: try row.int64(2))
        }
    }

    private func insert(_ item: NewQuarantineItem, _ digest: Digest) throws -> Int64 {
        let bytes = copy(item)
        let id = try transaction.nextId(of: .quarantine)
        try transaction.run(
            """
            INSERT INTO @quarantine (id, digest, received_at, latest_at, attempts, standing, code,
                part, message, bundle_id, environment, input, byte_count, bytes)
            VALUES ($1::bigint, $2::bytea, $3::bigint, $3::bigint, 1, $4::bigint, $5::bytea,
                $6::bytea, $7::bytea, $8::bytea, $9::bytea, $10::bytea, $11::bigint, $12::bytea)
            """, id, digest, item.receivedAt, item.standing.code, item.code, item.part,
            item.message, item.bundleId, item.environment, item.input, item.bytes.count, bytes)
        try move(item.standing.code, items: 1, bytes: Int64(bytes.count))
        return id
    }

    private func update(_ known: KnownItem, _ item: NewQuarantineItem) throws {
        let bytes = copy(item)
        try transaction.run(
            """
            UPDATE @quarantine SET latest_at = greatest(latest_at, $2::bigint),
                attempts = attempts + 1, standing = $3::bigint, code = $4::bytea,
                part = $5::bytea, message = $6::bytea, bundle_id = $7::bytea,
                environment = $8::bytea, bytes = $9::bytea
            WHERE id = $1::bigint
            """, known.id, item.receivedAt, item.standing.code, item.code, item.part,
            item.message, item.bundleId, item.environment, bytes)
        try move(known.standing, items: -1, bytes: -known.byteCount)
        try move(item.standing.code, items: 1, bytes: Int64(bytes.count))
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
        let count = try transaction.run(
            """
            SELECT count(*) FROM @quarantine
            WHERE standing = $1::bigint AND bundle_id IS NOT DISTINCT FROM $2::bytea
            """, item.standing.code, item.bundleId
        ).first?.int64(0)
        guard let count, count < QuarantineLimits.foreignCountPerBundle else { return false }
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
        try transaction.run(
            "SELECT min(id) FROM @quarantine WHERE standing = $1::bigint",
            QuarantineStanding.unverifiable.code
        ).first?.optionalInt64(0)
    }

    private func totals(_ standing: QuarantineStanding) throws -> (items: Int64, bytes: Int64) {
        let row = try transaction.run(
            "SELECT items, bytes FROM @quarantine_totals WHERE standing = $1::bigint",
            standing.code
        ).first
        return try row.map { (items: try $0.int64(0), bytes: try $0.int64(1)) } ?? (0, 0)
    }

    private func move(_ standing: Int64, items: Int64, bytes: Int64) throws {
        try transaction.run(
            """
            UPDATE @quarantine_totals
            SET items = items + $2::bigint, bytes = bytes + $3::bigint
            WHERE standing = $1::bigint
            """, standing, items, bytes)
    }
}
