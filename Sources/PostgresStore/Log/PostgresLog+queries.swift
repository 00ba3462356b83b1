public import AppStore
public import LedgerStore

/// Single events, sweeps and erasures.
extension PostgresLog {
    public func event(key: Digest) async throws(StoreError) -> LoggedEvent? {
        let position = try await read { [self] connection in
            try connection.run(statements.position.with { $0.add(key) }).first?.int64(0)
        }
        guard let position else { return nil }
        return try await event(at: position)
    }

    public func sweepPositions(through: Int64) async throws(StoreError) -> [Int64] {
        try await read { [self] connection in
            try connection.run(statements.sweeps.with { $0.add(through) }).rows.map {
                try $0.int64(0)
            }
        }
    }

    public func erasurePositions(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [Int64] {
        try await read { [self] connection in
            let command = statements.erasing.erasures.with {
                $0.add(position)
                $0.add(through)
            }
            return try connection.run(command).rows.map { try $0.int64(0) }
        }
    }
}
