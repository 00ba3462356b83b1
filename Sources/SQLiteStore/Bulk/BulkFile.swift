internal import Foundation
internal import GRDB
internal import LedgerStore

/// A derived file while it is being built in key order: nobody else opens it, nothing in it is
/// worth anything until it is finished, so there is no journal and no waiting for the disk.
///
/// Blocks: use it off the cooperative pool.
struct BulkFile {
    let path: String
    let queue: DatabaseQueue

    static let pageByteCount = 8_192
    /// Rows come in the order of their keys, so that what is written is seldom read again. (Tried:
    /// 64 MiB made nothing faster.)
    static let cacheKibibytes = 8 * 1_024
    /// Ends the name of a file that is not finished: found without its builder, it is removed.
    static let suffix = ".building"

    /// Makes the file under its unfinished name; one left by a process that died is overwritten.
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
            throw StoreError(error, path: path)
        }
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let pragmas = [
            "PRAGMA page_size = \(pageByteCount)",
            "PRAGMA journal_mode = OFF",
            "PRAGMA synchronous = OFF",
            "PRAGMA locking_mode = EXCLUSIVE",
            "PRAGMA cache_size = -\(cacheKibibytes)",
            "PRAGMA trusted_schema = OFF",
            "PRAGMA mmap_size = 0",
            "PRAGMA temp_store = FILE",
        ]
        configuration.prepareDatabase { database in
            for pragma in pragmas { try database.execute(sql: pragma) }
        }
        return configuration
    }

    /// Runs `body` in the one transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do { return try queue.inDatabase(body) } catch { throw StoreError(error, path: path) }
    }

    /// Ends building: everything on the disk, checked, under its own name. Nothing refers to the
    /// file yet; that name was never used before.
    func finish(checkpoint: Checkpoint) throws(StoreError) {
        let unfinished = path + BulkFile.suffix
        do {
            try queue.inDatabase { database in
                try DerivedFile.setCheckpoint(checkpoint, database)
                try database.execute(sql: "COMMIT")
                _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            }
            try queue.close()
            try BulkFile.synchronize(unfinished)
            guard rename(unfinished, path) == 0 else { throw BulkFile.failure(errno, path) }
            try BulkFile.synchronize(DatabaseFile.parent(of: path))
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Gives up: the file is removed.
    func abandon() {
        try? queue.close()
        DerivedFile.discard(path + BulkFile.suffix)
    }

    /// Has the disk keep a file, or a directory's entries.
    static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno, path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(errno, path) }
    }

    private static func failure(_ number: Int32, _ path: String) -> StoreError {
        StoreError(
            .ioError, path: path,
            reason: "It cannot be finished: \(String(cString: strerror(number))).",
            remedy: "Check the disk and the permissions of the data directory.")
    }
}
