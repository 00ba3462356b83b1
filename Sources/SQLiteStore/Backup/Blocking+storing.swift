internal import LedgerStore

extension Blocking {
    /// As `run`; every error becomes a `StoreError`.
    static func storing<Value: Sendable>(
        _ path: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws(StoreError) -> Value {
        try await run { () throws(StoreError) in
            do { return try body() } catch { throw StoreError(error, path: path) }
        }
    }
}
