internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import LedgerStore
internal import Migrations

/// An SQLite file of this program: how it is created, recognised and opened.
struct DatabaseFile: Sendable {
    let path: String
    /// SQLite's `application_id`: distinguishes this program's files from others.
    let applicationId: Int32
    let migrations: [Migration]
    let pageByteCount: Int
    /// Page cache of the writing connection, KiB.
    let cacheKibibytes: Int
    /// Page cache limit of each read-only connection, KiB: as for derived files.
    static let readerCacheKibibytes = DerivedFile.readerCacheKibibytes
    /// After how many pages in the write-ahead log a COMMIT checkpoints; 0 leaves that to others.
    var checkpointPageCount = 0
    /// How long a connection waits for another process.
    var busyTimeoutSeconds = DatabaseFile.usualBusyTimeoutSeconds

    static let usualBusyTimeoutSeconds = 5
    /// The size that an emptied write-ahead log keeps at most, bytes: more than a long import
    /// reaches, so that its blocks are reused. Freeing them stalls a COMMIT for 40 to 70 ms and
    /// makes every later one allocate (tried: 12 to 20 % of the events per second).
    static let idleWriteAheadLogByteCount = 1_024 * 1_024 * 1_024
    /// Private to the user: the files hold customers' purchases.
    static let fileMode: mode_t = 0o600
    static let directoryMode: mode_t = 0o700

    // MARK: Opening

    /// Opens the writing connection; creates the file, and brings its schema up to date.
    ///
    /// A file is not changed before it is recognised as this program's. Blocks: call it off the
    /// cooperative pool. Throws `fileNewer`, `fileChanged`, `fileForeign`, `fileNotDatabase`,
    /// `fileCorrupt`, `fileReadOnly`, `fileReplaced`, `fileLocked`, `diskFull`, `ioError`.
    func openWriter() throws(StoreError) -> DatabaseQueue {
        try createIfMissing()
        return try reopenWriter()
    }

    /// As `openWriter`, for a file that must exist.
    func reopenWriter() throws(StoreError) -> DatabaseQueue {
        try failingAsStore {
            let queue = try DatabaseQueue(path: path, configuration: configuration(readOnly: false))
            try queue.inDatabase { database in
                try SchemaMigrator(file: self).run(database)
                try useWriteAheadLog(database)
            }
            return queue
        }
    }

    /// Opens a connection for checkpoints only.
    func openCheckpointer() throws(StoreError) -> DatabaseQueue {
        try failingAsStore {
            try DatabaseQueue(path: path, configuration: configuration(readOnly: false))
        }
    }

    /// Opens read-only connections. The writer must be open.
    func openReaders(count: Int) throws(StoreError) -> DatabasePool {
        try failingAsStore {
            var readers = configuration(readOnly: true)
            readers.maximumReaderCount = count
            return try DatabasePool(path: path, configuration: readers)
        }
    }

    // MARK: Configuration

    /// Memory mapping stays off, since it turns an I/O error into a signal.
    private func configuration(readOnly: Bool) -> Configuration {
        let cache =
            readOnly ? min(cacheKibibytes, DatabaseFile.readerCacheKibibytes) : cacheKibibytes
        return Configuration(
            readOnly: readOnly, busyTimeoutSeconds: busyTimeoutSeconds,
            pragmas: [
                "page_size = \(pageByteCount)",
                "cache_size = -\(cache)",
                "trusted_schema = OFF",
                "cell_size_check = ON",
                "mmap_size = 0",
                "synchronous = FULL",
                "wal_autocheckpoint = \(checkpointPageCount)",
                "journal_size_limit = \(DatabaseFile.idleWriteAheadLogByteCount)",
                // Makes REPLACE fire the triggers that forbid deletion.
                "recursive_triggers = ON",
                readOnly ? "query_only = ON" : "secure_delete = ON",
            ])
    }

    /// - Parameter pause: waits briefly for another process.
    func useWriteAheadLog(
        _ database: Database,
        pause: () -> Void = { usleep(useconds_t(DatabaseFile.pauseMilliseconds * 1_000)) }
    ) throws {
        let modes = try writeAheadModes(database, pause)
        guard modes == ["wal"] else {
            throw StoreError(
                .ioError, path: path, reason: "The file system does not support SQLite's WAL.",
                remedy: "Put the data directory on a local disk, not a network share.")
        }
        // Changing the mode may have reset this in place of another connection's; ours must be
        // FULL.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        // The first read creates the -wal and the -shm, so that they can be watched.
        _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
        try requireWritable(database)
        try requireNoAutoVacuum(database)
        try synchronizeWriteAheadLog(database)
    }

    private static let pauseMilliseconds = 5

    /// Requests WAL and returns the resulting mode. When two processes create a file at the same
    /// moment, one is refused immediately whatever its timeout, because SQLite calls no busy
    /// handler for a transaction that already reads
    /// (https://www.sqlite.org/c3ref/busy_handler.html). Hence the retries.
    private func writeAheadModes(_ database: Database, _ pause: () -> Void) throws -> [String] {
        var patience = busyTimeoutSeconds * 1_000
        while true {
            do {
                // Fetch to the end of the statement: it returns its row before it commits the
                // change.
                return try String.fetchAll(database, sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                guard patience > 0 else { throw error }
                patience -= DatabaseFile.pauseMilliseconds
                pause()
            }
        }
    }

    /// With auto-vacuum SQLite puts its own pages between the others, and would overwrite rows with
    /// them. No file of this program uses it: a header that says so is damaged
    /// (https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages).
    private func requireNoAutoVacuum(_ database: Database) throws {
        guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") != 0 else { return }
        throw StoreError.corrupt(path: path, "Its header enables auto-vacuum.")
    }

    /// A process killed between writing a transaction and syncing it leaves one that reads as
    /// committed. It must be durable before any answer depends on it: a known event is not written,
    /// and so not synced, a second time.
    private func synchronizeWriteAheadLog(_ database: Database) throws {
        let (file, methods) = try database.openFile(SQLITE_FCNTL_JOURNAL_POINTER)
        let code = methods.xSync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    /// SQLite opens a file read-only if it may not write it or if its header claims a later format
    /// version, and reports that at the first write: too late for a log.
    private func requireWritable(_ database: Database) throws {
        guard sqlite3_db_readonly(database.sqliteConnection, "main") != 0 else { return }
        guard access(path, W_OK) == 0 else {
            throw DatabaseFile.systemError(errno, path: path)
        }
        throw StoreError.corrupt(path: path, "Its header forbids writing.")
    }

    // MARK: Creating

    /// Creates the file with private permissions, since SQLite would apply the umask; its -wal and
    /// -shm get the same permissions.
    ///
    /// An existing file is not opened: closing the descriptor would drop the locks that other
    /// connections of this process hold on it (https://www.sqlite.org/howtocorrupt.html §2.2).
    private func createIfMissing() throws(StoreError) {
        try createDirectory(DatabaseFile.parent(of: path))
        try refuseLinks()
        try refuseOrphan()
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, DatabaseFile.fileMode)
        guard descriptor >= 0 else {
            if errno == EEXIST { return }
            throw DatabaseFile.systemError(errno, path: path)
        }
        close(descriptor)
    }

    /// SQLite follows a link, writes to its target, and keeps the other two files beside that.
    private func refuseLinks() throws(StoreError) {
        for suffix in FileIdentityGuard.suffixes
        where stat.ofLink(at: path + suffix)?.kind == S_IFLNK {
            throw DatabaseFile.irregular(path + suffix)
        }
    }

    /// SQLite deletes a write-ahead log without its file, and committed events with it. No crash
    /// leaves one: the file has its schema before it has a write-ahead log.
    private func refuseOrphan() throws(StoreError) {
        // The log first: once another process has written one, the file has its schema.
        guard let log = stat.at(path + "-wal"), log.st_size > 0 else { return }
        if let file = stat.at(path), file.st_size > 0 { return }
        throw StoreError(
            .fileReplaced, path: path,
            reason: "The file is missing or empty; only \(FileIdentityGuard.name(path))-wal is left"
                + " of it.",
            remedy: "Put the file back as it was, or restore a backup, then start again.")
    }

    /// The directory of a path, `.` for a bare name. (NSString's method traps on some one-letter
    /// names.)
    static func parent(of path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func createDirectory(_ directory: String) throws(StoreError) {
        if let status = stat.at(directory) {
            guard status.kind == S_IFDIR else {
                throw DatabaseFile.systemError(ENOTDIR, path: directory)
            }
            return
        }
        let parent = DatabaseFile.parent(of: directory)
        if parent != directory { try createDirectory(parent) }
        if mkdir(directory, DatabaseFile.directoryMode) != 0, errno != EEXIST {
            throw DatabaseFile.systemError(errno, path: directory)
        }
    }

    static func systemError(_ number: Int32, path: String) -> StoreError {
        let detail = String(cString: strerror(number)) + "."
        switch number {
        case EACCES, EPERM, EROFS: return .readOnly(path: path, detail)
        case ENOSPC, EDQUOT: return .full(path: path, detail)
        case ELOOP: return irregular(path)
        default:
            return StoreError(
                .ioError, path: path, reason: "The operating system reports: \(detail)",
                remedy: "Check that its directory exists and can be written, or name another.")
        }
    }

    /// A link may lead to another program's file, so nothing is written.
    static func irregular(_ path: String) -> StoreError {
        StoreError(
            .ioError, path: path, reason: "There is a link or a special file in place of the file.",
            remedy: "Put the file itself there, or move what is there away.")
    }

    private func failingAsStore<Result>(
        _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        do { return try body() } catch { throw StoreError(error, path: path) }
    }
}

extension Database {
    /// A file of the connection, for SQLITE_FCNTL_FILE_POINTER or SQLITE_FCNTL_JOURNAL_POINTER:
    /// closing another descriptor of it would drop the locks that this process holds
    /// (https://www.sqlite.org/howtocorrupt.html §2.2).
    func openFile(
        _ operation: Int32
    ) throws -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(sqliteConnection, "main", operation, &file)
        guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else {
            throw DatabaseError(resultCode: .SQLITE_IOERR)
        }
        return (file, methods.pointee)
    }
}

extension Configuration {
    /// Connections that begin with these pragmas (https://www.sqlite.org/pragma.html).
    ///
    /// - Parameter busyTimeoutSeconds: how long a connection waits for another process.
    init(readOnly: Bool = false, busyTimeoutSeconds: Int = 0, pragmas: [String]) {
        EIOPreservingVFS.install()
        self.init()
        readonly = readOnly
        busyMode = .timeout(TimeInterval(busyTimeoutSeconds))
        prepareDatabase { database in
            for pragma in pragmas { try database.execute(sql: "PRAGMA \(pragma)") }
        }
    }
}

extension DatabaseQueue {
    /// The result of `body` on a connection to a file, which is closed afterwards. Blocks.
    static func once<Value>(
        _ path: String, _ configuration: Configuration = Configuration(),
        _ body: (Database) throws -> Value
    ) throws -> Value {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let value = try queue.inDatabase(body)
        try queue.close()
        return value
    }

    /// Runs `body` on the connection's dispatch queue, without a transaction, and to its end:
    /// GRDB's own asynchronous methods interrupt the database when their task is cancelled.
    func access<Value: Sendable>(
        _ path: String, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            asyncWriteWithoutTransaction { database in
                continuation.resume(returning: Result { try body(database) })
            }
        }
        do { return try result.get() } catch { throw StoreError(error, path: path) }
    }
}
