internal import AppStore
internal import GRDB
internal import LedgerStore

/// What a transaction leaves behind, kept to learn whether a COMMIT that failed took place.
struct AppendTrace: Sendable {
    let lastPosition: Int64
    /// Nil when nothing was appended.
    let lastLeafHash: Digest?
    /// Valid once the transaction is committed.
    let headers: KnownHeaders

    /// True when the transaction is in the file: the leaf commits to position, key and time, and a
    /// transaction is there as a whole or not at all.
    func isDurable(_ database: Database) throws -> Bool {
        guard let lastLeafHash else { return false }
        let select = try BoundStatement(
            database, "SELECT leaf_hash FROM events WHERE position = ?")
        select.bind(1, lastPosition)
        defer { select.reset() }
        return try select.step() && select.digest(0) == lastLeafHash
    }
}
