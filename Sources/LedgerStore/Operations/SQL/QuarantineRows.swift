internal import AppStore

/// A row of the quarantine whose contribution to the totals is known.
private struct QuarantineRow {
    let id: Int64
    /// A code of `QuarantineStanding`, or of a later release.
    let standing: Int64
    /// Bytes kept.
    let byteCount: Int64
}

/// The rows of the quarantine and their totals, inside one transaction: what is kept, and for how
/// long.
struct QuarantineRows {
    let tables: any SQLTables

    /// Adds one item, keyed by the digest of its bytes.
    func add(_ offered: NewQuarantineItem, _ digest: Digest) throws -> QuarantineResult {
        var item = offered
        let known = try row("digest = $1::bytea", digest)
        // The same bytes may have had another standing before.
        if try known?.standing != item.standing.code && !admits(item) {
            guard let otherwise = item.otherwise else { return .refused }
            item.standing = otherwise
            guard try admits(item) else { return .refused }
        }
        let bytes = copy(item)
        let result: QuarantineResult
        if let known {
            try update(known.id, item, keeping: bytes)
            try addToTotals(known.standing, items: -1, bytes: -known.byteCount)
            result = .repeated(id: known.id)
        } else {
            result = .kept(id: try insert(item, digest, keeping: bytes))
        }
        try addToTotals(item.standing.code, items: 1, bytes: Int64(bytes.count))
        if item.standing == .unverifiable { try dropOldest() }
        return result
    }

    /// Whether there was a row with that id.
    func remove(_ id: Int64) throws -> Bool {
        guard let known = try row("id = $1::bigint", id) else { return false }
        try addToTotals(known.standing, items: -1, bytes: -known.byteCount)
        try tables.execute("DELETE FROM @quarantine WHERE id = $1::bigint", id)
        return true
    }

    /// The bytes to keep: all of a genuine or possibly genuine input, a bounded prefix of others.
    private func copy(_ item: NewQuarantineItem) -> [UInt8] {
        guard item.standing == .unverifiable else { return item.bytes }
        return Array(item.bytes.prefix(QuarantineLimits.unverifiableCopyByteCount))
    }

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
        guard try count(item.standing, of: item.bundleId) < QuarantineLimits.foreignCountPerBundle
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
            guard let id = try oldest(.unverifiable), try remove(id) else { return }
        }
    }

    // MARK: Rows

    private func row(_ condition: String, _ value: any BoundValue) throws -> QuarantineRow? {
        try tables.rows(
            "SELECT id, standing, octet_length(bytes) FROM @quarantine WHERE \(condition)", value
        ) { row in
            QuarantineRow(
                id: try row.int64(0), standing: try row.int64(1), byteCount: try row.int64(2))
        }.first
    }

    private func oldest(_ standing: QuarantineStanding) throws -> Int64? {
        try tables.rows(
            "SELECT min(id) FROM @quarantine WHERE standing = $1::bigint", standing.code
        ) { try $0.optionalInt64(0) }.first
    }

    private func count(_ standing: QuarantineStanding, of bundleId: BundleId?) throws -> Int64 {
        try tables.rows(
            """
            SELECT count(*) FROM @quarantine
            WHERE standing = $1::bigint AND bundle_id IS NOT DISTINCT FROM $2::bytea
            """, standing.code, bundleId
        ) { try $0.int64(0) }.first ?? 0
    }

    /// Returns the row's id.
    private func insert(
        _ item: NewQuarantineItem, _ digest: Digest, keeping bytes: [UInt8]
    ) throws -> Int64 {
        try tables.insertNumbered(
            into: "quarantine", .quarantine,
            [
                "digest": digest, "received_at": item.receivedAt, "latest_at": item.receivedAt,
                "attempts": 1, "standing": item.standing.code, "code": item.code,
                "part": item.part, "message": item.message, "bundle_id": item.bundleId,
                "environment": item.environment, "input": item.input,
                "byte_count": item.bytes.count, "bytes": bytes,
            ])
    }

    /// Counts another delivery, and takes over everything else of the item.
    private func update(_ id: Int64, _ item: NewQuarantineItem, keeping bytes: [UInt8]) throws {
        try tables.execute(
            """
            UPDATE @quarantine SET latest_at = greatest(latest_at, $2::bigint),
                attempts = attempts + 1, standing = $3::bigint, code = $4::bytea,
                part = $5::bytea, message = $6::bytea, bundle_id = $7::bytea,
                environment = $8::bytea, bytes = $9::bytea
            WHERE id = $1::bigint
            """, id, item.receivedAt, item.standing.code, item.code, item.part,
            item.message, item.bundleId, item.environment, bytes)
    }

    private func totals(_ standing: QuarantineStanding) throws -> (items: Int64, bytes: Int64) {
        try tables.rows(
            "SELECT items, bytes FROM @quarantine_totals WHERE standing = $1::bigint",
            standing.code
        ) { (items: try $0.int64(0), bytes: try $0.int64(1)) }.first ?? (0, 0)
    }

    private func addToTotals(_ standing: Int64, items: Int64, bytes: Int64) throws {
        try tables.execute(
            """
            UPDATE @quarantine_totals
            SET items = items + $2::bigint, bytes = bytes + $3::bigint
            WHERE standing = $1::bigint
            """, standing, items, bytes)
    }
}
