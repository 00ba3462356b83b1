package import AppStore

/// The rows of a quarantine and their totals, inside one transaction of an engine.
///
/// An engine reads and writes rows; what is kept, and for how long, is the same in all of them.
package protocol QuarantineRows {
    /// The row of the input with that digest.
    func row(of digest: Digest) throws -> QuarantineRow?
    func row(_ id: Int64) throws -> QuarantineRow?
    /// The id of the oldest row with a standing.
    func oldest(_ standing: QuarantineStanding) throws -> Int64?
    func count(_ standing: QuarantineStanding, of bundleId: BundleId?) throws -> Int64

    /// Inserts a row with the bytes to keep; returns its id, which no row had before.
    func insert(_ item: NewQuarantineItem, _ digest: Digest, keeping bytes: [UInt8]) throws -> Int64
    /// Counts another delivery, and takes over everything else of the item.
    func update(_ id: Int64, _ item: NewQuarantineItem, keeping bytes: [UInt8]) throws
    func delete(_ id: Int64) throws

    func totals(_ standing: QuarantineStanding) throws -> (items: Int64, bytes: Int64)
    func addToTotals(_ standing: Int64, items: Int64, bytes: Int64) throws
}

/// A row whose contribution to the totals is known.
package struct QuarantineRow {
    let id: Int64
    /// A code of `QuarantineStanding`, or of a later release.
    let standing: Int64
    /// Bytes kept.
    let byteCount: Int64

    package init(id: Int64, standing: Int64, byteCount: Int64) {
        self.id = id
        self.standing = standing
        self.byteCount = byteCount
    }
}

extension QuarantineRows {
    /// Adds one item, keyed by the digest of its bytes.
    package func add(_ offered: NewQuarantineItem, _ digest: Digest) throws -> QuarantineResult {
        var item = offered
        let known = try row(of: digest)
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
        try dropOldest()
        return result
    }

    /// Whether there was a row with that id.
    package func remove(_ id: Int64) throws -> Bool {
        guard let known = try row(id) else { return false }
        try addToTotals(known.standing, items: -1, bytes: -known.byteCount)
        try delete(id)
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
}
