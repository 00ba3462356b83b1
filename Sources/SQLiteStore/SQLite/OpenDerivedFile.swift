internal import GRDB
internal import LedgerStore

/// A derived file that is open; errors name the file and how to rebuild it.
struct OpenDerivedFile: Sendable {
    let path: String
    let pool: DatabasePool
    /// The identity of the file when it was opened.
    let identity: FileIdentity?

    var isInPlace: Bool { identity != nil && FileIdentity(path: path) == identity }

    func close() throws(StoreError) {
        do { try pool.close() } catch { throw failure(error) }
    }

    func checkpoint() async throws(StoreError) -> ProjectionCursor {
        try await read { try DerivedFile.checkpoint($0) }
    }

    /// Makes everything written durable and moves the write-ahead log into the file.
    func walCheckpoint() async throws(StoreError) {
        do {
            try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        } catch { throw failure(error) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do { return try await pool.read(body) } catch { throw failure(error) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do { return try await pool.write(body) } catch { throw failure(error) }
    }

    private func failure(_ error: any Error) -> StoreError {
        StoreError(error, path: path).ofDerivedFile(path)
    }
}
