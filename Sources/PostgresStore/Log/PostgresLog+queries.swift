public import AppStore
public import LedgerStore

/// Single events.
extension PostgresLog {
    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await read { [self] connection in
            try connection.run(statements.position.with { $0.add(key) }).first?.int64(0)
        }
        guard let position else { return nil }
        return try await event(at: position)
    }
}
