internal import Foundation
internal import GRDB
public import LedgerStore
internal import Migrations
internal import Synchronization

/// `operations.sqlite` of one environment: operational state on which no answer depends. One
/// connection, on its own dispatch queue.
public final class OperationsStore: OperationalState {
    public let location: String
    var path: String { location }
    private let connection: DatabaseQueue
    private let watch: FileIdentityGuard
    /// Set before the connection is closed: a closed one must not be used.
    private let isClosed = Mutex(false)

    /// The file's name inside an environment's directory.
    public static let fileName = "operations.sqlite"
    /// "SLOP": marks our operations files.
    static let applicationId: Int32 = 0x534C_4F50
    static let pageByteCount = 4_096
    static let cacheKibibytes = 4 * 1_024
    /// 4 MiB of write-ahead log.
    static let checkpointPageCount = 1_024

    /// Opens the file in `directory`, which is created when missing.
    ///
    /// Throws what `EventLog.open` throws, for the same reasons.
    public static func open(directory: String) async throws(StoreError) -> OperationsStore {
        let path = (directory as NSString).appendingPathComponent(fileName)
        return try await Blocking.run { () throws(StoreError) in try OperationsStore(path: path) }
    }

    /// Whether a directory has no such file, or one of 0 bytes, which SQLite takes for a new one.
    package static func isMissing(in directory: String) -> Bool {
        stat.at("\(directory)/\(fileName)").map { $0.st_size == 0 } ?? true
    }

    /// Blocks while the file is opened and migrated.
    private init(path: String) throws(StoreError) {
        location = path
        let file = DatabaseFile(
            path: path, applicationId: OperationsStore.applicationId,
            migrations: SchemaHistory.operations,
            pageByteCount: OperationsStore.pageByteCount,
            cacheKibibytes: OperationsStore.cacheKibibytes,
            checkpointPageCount: OperationsStore.checkpointPageCount)
        do throws(StoreError) {
            connection = try file.openWriter()
            watch = try FileIdentityGuard(path: path)
        } catch {
            let name = OperationsStore.fileName
            let isOrphan = error.code == .fileReplaced
            guard error.isDamage || isOrphan else { throw error }
            let leftover = isOrphan ? "`\(name)-wal` and `\(name)-shm`" : "it"
            throw OperationsStore.dispensable(error, leftover)
        }
    }

    /// The same error, with the remedy to begin anew: no backup has the file.
    private static func dispensable(_ error: StoreError, _ leftover: String = "it") -> StoreError {
        StoreError(
            error.code, path: error.path, reason: error.reason,
            remedy: "No answer depends on it: move \(leftover) away, and the next command"
                + " creates a new one; quarantined inputs, webhook cursors and waiting"
                + " deliveries, and signed checkpoints that no backup has, are then lost.")
    }

    public func close() async {
        isClosed.withLock { $0 = true }
        // A connection that cannot close now is closed with its last reference.
        await Blocking.run { [connection] in _ = try? connection.close() }
    }

    public func purge() async throws(StoreError) {
        try await access { database in
            try database.execute(sql: "VACUUM")
            _ = try database.checkpoint(.truncate)
        }
    }

    public func lease(_ task: ExclusiveTask) async throws(StoreError) -> (any Lease)? {
        let path = "\(DatabaseFile.parent(of: path))/\(task.rawValue).lock"
        return try await Blocking.run { () throws(StoreError) in
            try FileLock.take(path, patienceMilliseconds: FileLock.patienceMilliseconds)
        }
    }

    /// Throws `fileReplaced` when the file was removed before or during the transaction: the data
    /// is lost with it, and success is not reported.
    public func writeTables<Value: Sendable>(
        _ area: OperationsArea,
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try await transaction(.immediate, body)
    }

    public func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try await transaction(.deferred, body)
    }

    private func transaction<Value: Sendable>(
        _ kind: Database.TransactionKind,
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value {
        try await access { database in
            var value: Value?
            try database.inTransaction(kind) {
                value = try body(FileTables(database: database))
                return .commit
            }
            guard let value else { preconditionFailure("A committed transaction has a value.") }
            return value
        }
    }

    /// Runs `body`, which may write, on the connection and outside a transaction.
    func access<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do throws(StoreError) {
            return try await connection.access(path) { [self] database in
                try requireUsable()
                let value = try body(database)
                // Data read from an unlinked file is not returned.
                try requireUsable()
                return value
            }
        } catch { throw error.isDamage ? OperationsStore.dispensable(error) : error }
    }

    /// Throws `fileReplaced` while the files at the path are not those that were opened, since
    /// writes would be lost. Once the same files are back, nothing was stored elsewhere meanwhile,
    /// and the store continues. Throws `closed` after `close`.
    public func requireUsable() throws(StoreError) {
        if isClosed.withLock({ $0 }) { throw StoreError.closed(path, "file") }
        do throws(StoreError) { try watch.check() } catch {
            // Closing the last connection removes the write-ahead log; that is not a replacement.
            if isClosed.withLock({ $0 }) { throw StoreError.closed(path, "file") }
            throw StoreError(
                error.code, path: path, reason: error.reason,
                remedy: "Put the same files back to continue without a restart; a copy of them, or"
                    + " a new file, requires a restart. Quarantined inputs and pending deliveries"
                    + " are lost with the old file; answers do not depend on it.")
        }
    }
}
