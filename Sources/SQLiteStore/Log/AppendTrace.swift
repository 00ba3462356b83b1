internal import AppStore
internal import GRDB
internal import LedgerStore

/// What a transaction writes; used to find out whether a COMMIT that failed took effect.
struct AppendTrace: Sendable {
    let lastPosition: Int64
    /// Nil when nothing was appended.
    let lastLeafHash: Digest?
    /// Valid once the transaction is committed.
    let headers: KnownHeaders

    /// Whether the transaction is in the file. The leaf commits to position, key and time, and a
    /// transaction is written completely or not at all.
    func isDurable(_ database: Database) throws -> Bool {
        guard let lastLeafHash else { return false }
        let select = try PreparedStatement(
            database, "SELECT leaf_hash FROM events WHERE position = ?")
        select.bind(1, lastPosition)
        defer { select.reset() }
        return try select.step() && select.digest(0) == lastLeafHash
    }
}
