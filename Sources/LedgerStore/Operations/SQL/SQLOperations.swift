/// Operational state in SQL tables. An engine opens transactions and runs statements; what they
/// say is the same in all of them.
public protocol SQLOperations: OperationalState {
    /// Runs `body` in one transaction, alone among those that write in `area`.
    func writeTables<Value: Sendable>(
        _ area: OperationsArea,
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value

    /// Runs `body`, which must only read, with one snapshot for all its statements.
    func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value
}

/// Parts of the operational state whose writes are serialised.
public enum OperationsArea: String, Sendable {
    case quarantine
    case recovery
    case uploads
    case requests
    case feeds
    case webhooks

    /// The task whose holder alone writes here; nil where every node may.
    package var task: ExclusiveTask? {
        switch self {
        case .recovery: .recovery
        case .webhooks: .webhooks
        case .feeds: .feedClock
        case .quarantine, .uploads, .requests: nil
        }
    }
}
