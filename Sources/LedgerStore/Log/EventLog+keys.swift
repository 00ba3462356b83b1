public import AppStore
internal import GRDB

extension EventLog {
    /// The event with this key, or nil; a conflict has another one (`EventKey`).
    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await read { database -> Int64? in
            let select = try BoundStatement(
                database, "SELECT position FROM events WHERE key = ?")
            select.bind(1, key)
            guard try select.step() else { return nil }
            defer { select.reset() }
            return select.int64(0)
        }
        guard let position else { return nil }
        return try await event(at: position)
    }
}
