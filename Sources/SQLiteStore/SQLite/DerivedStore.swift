internal import GRDB
public import LedgerStore

/// A derived file that is open.
public struct OpenDerivedFile: Sendable {
    let path: String
    let pool: DatabasePool
    /// The identity of the file when it was opened.
    let identity: FileIdentity?
}

/// A store in one derived file; errors name the file and how to rebuild it.
public protocol DerivedStore: Sendable {
    var file: OpenDerivedFile { get }
}

extension DerivedStore {
    public var path: String { file.path }

    /// Whether the file is still at its path: false after it was deleted or replaced.
    public var isInPlace: Bool {
        file.identity != nil && FileIdentity(path: file.path) == file.identity
    }

    public func close() throws(StoreError) {
        do { try file.pool.close() } catch { throw failure(error) }
    }

    public func checkpoint() async throws(StoreError) -> ProjectionCursor {
        try await read { try DerivedFile.checkpoint($0) }
    }

    /// Makes everything written durable and moves the write-ahead log into the file.
    public func walCheckpoint() async throws(StoreError) {
        do {
            try await file.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        } catch { throw failure(error) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do { return try await file.pool.read(body) } catch { throw failure(error) }
    }

    /// The rows of one query (`Database.rows`).
    func rows<Value: Sendable>(
        _ sql: String, _ values: (any BoundValue)?...,
        read body: @escaping @Sendable (PreparedStatement) throws -> Value?
    ) async throws(StoreError) -> [Value] {
        try await read { try $0.rows(sql, all: values, read: body) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do { return try await file.pool.write(body) } catch { throw failure(error) }
    }

    private func failure(_ error: any Error) -> StoreError {
        StoreError(error, path: path).ofDerivedFile(path)
    }
}
