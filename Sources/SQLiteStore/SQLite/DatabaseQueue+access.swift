internal import GRDB
internal import LedgerStore

extension DatabaseQueue {
    /// Runs `body` on the connection's dispatch queue, without a transaction, and to its end:
    /// GRDB's own asynchronous methods interrupt the database when their task is cancelled.
    func access<Value: Sendable>(
        _ path: String, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            asyncWriteWithoutTransaction { database in
                continuation.resume(returning: Result { try body(database) })
            }
        }
        do { return try result.get() } catch { throw StoreError(error, path: path) }
    }
}
