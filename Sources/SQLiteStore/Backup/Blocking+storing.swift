internal import LedgerStore

extension Blocking {
    /// As `run`; whatever fails is told as the store's.
    static func storing<Value: Sendable>(
        _ path: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws(StoreError) -> Value {
        try await run { () throws(StoreError) in
            do { return try body() } catch { throw StoreError(error, path: path) }
        }
    }
}
