internal import Foundation
internal import GRDB
internal import LedgerStore

/// A derived file being built in key order. No other process opens it and it is discarded on
/// failure, so there is no journal and no sync until the end.
///
/// Blocks: use it off the cooperative pool.
struct BulkFile {
    let path: String
    let queue: DatabaseQueue

    static let pageByteCount = 8_192
    /// Rows come in key order, so that written pages are seldom read again. (Tried: 64 MiB made
    /// nothing faster.)
    static let cacheKibibytes = 8 * 1_024
    /// Suffix of an unfinished file's name; such a file is removed when its builder is gone.
    static let suffix = ".building"

    /// Creates the file under its unfinished name, overwriting the remains of a process that died.
    init(path: String, schema: String, meta: [String: String]) throws(StoreError) {
        self.path = path
        let unfinished = path + BulkFile.suffix
        DerivedFile.discard(unfinished)
        do {
            try DerivedFile.create(unfinished)
            queue = try DatabaseQueue(path: unfinished, configuration: BulkFile.configuration())
            try queue.inDatabase { database in
                try DerivedFile.install(schema, meta, database)
                try database.execute(sql: "BEGIN")
            }
        } catch {
            throw StoreError(error, path: path).ofDerivedFile(path)
        }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration(pragmas: [
            "page_size = \(pageByteCount)",
            "journal_mode = OFF",
            "synchronous = OFF",
            "locking_mode = EXCLUSIVE",
            "cache_size = -\(cacheKibibytes)",
            "trusted_schema = OFF",
            "mmap_size = 0",
            "temp_store = FILE",
        ])
        configuration.allowsUnsafeTransactions = true
        return configuration
    }

    /// Runs `body` in the single transaction of the build.
    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do { return try queue.inDatabase(body) } catch {
            throw StoreError(error, path: path).ofDerivedFile(path)
        }
    }

    /// Finishes the build: everything synced and checked, under its final name. Nothing refers to
    /// the file yet, and the name was never used before.
    func finish(checkpoint: ProjectionCursor) throws(StoreError) {
        let unfinished = path + BulkFile.suffix
        do {
            try queue.inDatabase { database in
                try DerivedFile.setCheckpoint(checkpoint, database)
                try database.execute(sql: "COMMIT")
                _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            }
            try queue.close()
            try OpenFile.reading(unfinished).synchronize()
            guard rename(unfinished, path) == 0 else {
                throw DatabaseFile.systemError(errno, path: path)
            }
            try OpenFile.directory(DatabaseFile.parent(of: path)).synchronize()
        } catch {
            throw StoreError(error, path: path).ofDerivedFile(path)
        }
    }

    /// Abandons the build and removes the file.
    func abandon() {
        try? queue.close()
        DerivedFile.discard(path + BulkFile.suffix)
    }
}
