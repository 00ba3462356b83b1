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
        return try database.rows(
            "SELECT leaf_hash FROM events WHERE position = ?", lastPosition
        ) { $0.digest(0) }.first == lastLeafHash
    }
}
