internal import Foundation
internal import GRDB
public import LedgerStore

/// A disposable file derived from the log. synchronous=NORMAL, since what a power failure removes
/// is rebuilt.
struct DerivedFile: Sendable {
    let path: String
    let schema: String
    /// A table that no other kind of file has.
    let mark: String
    /// Page cache of one reading connection, KiB. The operating system caches the file's pages once
    /// for all; a copy in every connection takes memory and saves no time (tried: 16 MiB).
    static let readerCacheKibibytes = 512
    /// Page cache of the writing connection, KiB; 16 and 32 MiB gave no more events per second up
    /// to ten million (tried).
    static let writerCacheKibibytes = 1_024

    /// Pages of the write-ahead log after which it is checkpointed, 64 MiB: chains are scattered
    /// over the file, and a page that many of them share is then written once.
    static let checkpointPageCount = 8_192

    /// How long a connection waits for another process, seconds.
    static let busyTimeoutSeconds = 5

    /// Opens an existing file. Throws `fileForeign` when it is not a derived file of this kind, or
    /// its metadata differs from `meta`, and `fileCorrupt` when it was truncated.
    func open(requiring meta: [String: String] = [:]) throws(StoreError) -> DatabasePool {
        try opened { pool in try pool.read { try requireOurs($0, meta) } }
    }

    private func opened(_ prepare: (DatabasePool) throws -> Void) throws(StoreError) -> DatabasePool
    {
        do {
            let pool = try DatabasePool(path: path, configuration: configuration())
            try prepare(pool)
            return pool
        } catch {
            throw StoreError(error, path: path).ofDerivedFile(path)
        }
    }

    private func requireOurs(_ database: Database, _ meta: [String: String]) throws {
        guard try database.tableExists("meta"), try database.tableExists(mark),
            case let stored = try DerivedFile.meta(database),
            meta.allSatisfy({ stored[$0.key] == $0.value })
        else {
            throw StoreError(
                .fileForeign, path: path, reason: "It holds no derived data of this kind.",
                remedy: "Move it away.")
        }
        try requireWhole(database)
    }

    /// A query may need a missing page only much later: SQLite takes the page count from the
    /// write-ahead log. Every page is in one of the two files, but for that of SQLite's locks.
    private func requireWhole(_ database: Database) throws {
        let pageCount = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let pageByteCount = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        guard DerivedFiles.byteCount(path) < (pageCount - 1) * pageByteCount else { return }
        throw StoreError.corrupt(path: path, "Pages are missing.")
    }

    /// Opens the file, creating it with its schema and `meta` rows when missing. Throws
    /// `fileForeign` for a file with any other contents, and leaves it unchanged.
    ///
    /// The schema is created in one transaction: a crash leaves no tables or all of them.
    func open(meta: [String: String]) throws(StoreError) -> DatabasePool {
        do { try DerivedFile.create(path) } catch { throw error.ofDerivedFile(path) }
        return try opened { pool in
            try pool.write { database in
                guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
                else { return try requireOurs(database, meta) }
                try DerivedFile.install(schema, meta, database)
            }
        }
    }

    /// Creates the tables and stores the build metadata.
    static func install(
        _ schema: String, _ meta: [String: String], _ database: Database
    ) throws {
        try database.execute(sql: schema)
        for (key, value) in meta.sorted(by: { $0.key < $1.key }) {
            try database.run("INSERT INTO meta (key, value) VALUES (?, ?)", key, value)
        }
    }

    /// Removes a derived file. Only for the holder of the projector's lock.
    static func discard(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// Creates an empty file with private permissions, unless it exists.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, DatabaseFile.fileMode)
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: path) }
        close(descriptor)
    }

    private func configuration() -> Configuration {
        var configuration = Configuration(
            busyTimeoutSeconds: DerivedFile.busyTimeoutSeconds,
            pragmas: [
                "page_size = 8192",
                "synchronous = NORMAL",
                "wal_autocheckpoint = \(DerivedFile.checkpointPageCount)",
                "trusted_schema = OFF",
                "mmap_size = 0",
                "secure_delete = OFF",
            ])
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            let kibibytes =
                database.configuration.readonly
                ? DerivedFile.readerCacheKibibytes : DerivedFile.writerCacheKibibytes
            try database.execute(sql: "PRAGMA cache_size = -\(kibibytes)")
        }
        return configuration
    }

    static func checkpoint(_ database: Database) throws -> ProjectionCursor {
        // Files of releases without a tree are read too, to be compared or rebuilt.
        let hasTree = try database.columns(in: "checkpoint").contains { $0.name == "tree" }
        return try database.rows(
            """
            SELECT position, leaf_hash\(hasTree ? ", tree_size, tree" : "")
            FROM checkpoint WHERE id = 1
            """
        ) { row in
            var tree: CompactRange?
            if hasTree, !row.isNull(2) || !row.isNull(3) {
                // An inconsistent tree matches no log: the empty one contains none of these events.
                tree = CompactRange(size: row.int64(2), bytes: row.bytes(3)) ?? CompactRange()
            }
            return ProjectionCursor(position: row.int64(0), leafHash: row.digest(1), tree: tree)
        }.first ?? .start
    }

    static func setCheckpoint(_ checkpoint: ProjectionCursor, _ database: Database) throws {
        try database.run(
            """
            UPDATE checkpoint SET position = ?, leaf_hash = ?, tree_size = ?, tree = ? WHERE id = 1
            """, checkpoint.position, checkpoint.leafHash, checkpoint.tree?.size,
            checkpoint.tree?.bytes)
    }

    static func meta(_ database: Database) throws -> [String: String] {
        var values: [String: String] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT key, value FROM meta") {
            values[row["key"]] = row["value"]
        }
        return values
    }
}

extension DerivedFiles {
    /// The first inconsistency that SQLite finds in a derived file: tables and indexes that
    /// contradict each other, broken trees, values that the schema does not allow. Nil when there
    /// is none.
    ///
    /// Some queries read an index, others its table: where these differ, answers can be wrong
    /// although each compares equal by itself. Reads the whole file; blocks.
    ///
    /// Throws what prevents the check; damage of the file is no error.
    public static func fault(in path: String) throws(StoreError) -> String? {
        let configuration = Configuration(
            readOnly: true, busyTimeoutSeconds: DerivedFile.busyTimeoutSeconds,
            pragmas: ["cache_size = -16384"])
        do {
            return try DatabaseQueue.once(path, configuration) { database in
                let found = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)")
                return found == "ok" ? nil : found ?? "SQLite reports no result"
            }
        } catch {
            let failure = StoreError(error, path: path).ofDerivedFile(path)
            guard failure.isDamage else { throw failure }
            return failure.reason
        }
    }
}
