internal import Dispatch
internal import Foundation
internal import GRDB
public import LedgerStore
internal import Migrations
internal import Synchronization

/// `operations.sqlite` of one environment: what keeps the service running but answers nothing.
/// Losing it loses no answer. One connection, on a dispatch queue of its own.
public final class OperationsStore: Sendable {
    /// The file.
    public let path: String
    private let connection: DatabaseQueue
    private let watch: FileWatch
    /// Set before the connection is closed: a closed one must not be touched any more.
    private let isClosed = Mutex(false)

    /// The file's name inside an environment's directory.
    public static let fileName = "operations.sqlite"
    /// "SLOP": marks our operations files.
    static let applicationId: Int32 = 0x534C_4F50
    static let pageByteCount = 4_096
    static let cacheKibibytes = 4 * 1_024

    /// Opens the file in `directory`, which is created when missing.
    ///
    /// Throws what `EventLog.open` throws, for the same reasons.
    public static func open(directory: String) async throws(StoreError) -> OperationsStore {
        let path = (directory as NSString).appendingPathComponent(fileName)
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let store = Result { () throws(StoreError) in try OperationsStore(path: path) }
                continuation.resume(returning: store)
            }
        }
        return try result.get()
    }

    /// Blocks while the file is opened and migrated.
    private init(path: String) throws(StoreError) {
        self.path = path
        let file = DatabaseFile(
            path: path, applicationId: OperationsStore.applicationId,
            migrations: SchemaHistory.operations.map(SchemaStep.init),
            pageByteCount: OperationsStore.pageByteCount,
            cacheKibibytes: OperationsStore.cacheKibibytes)
        do throws(StoreError) {
            connection = try file.openWriter()
            watch = try FileWatch(path: path)
        } catch {
            guard error.isDamage else { throw error }
            throw StoreError(
                error.code, path: path, reason: error.reason,
                remedy: "Losing it loses no answer: move it away, and the next command makes a new"
                    + " one; what was in quarantine is then gone.")
        }
    }

    /// Closes the connection; later calls throw `closed`.
    public func close() async {
        isClosed.withLock { $0 = true }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                // A connection that does not close now is closed with its last reference.
                try? connection.close()
                continuation.resume()
            }
        }
    }

    /// Runs `body` in one immediate transaction; the write-ahead log is moved into the file
    /// afterwards, since little is written here.
    ///
    /// Throws `fileReplaced` when the file was taken away, before it or meanwhile: what was written
    /// went with it, and is not told as done.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            connection.asyncWriteWithoutTransaction { [self] database in
                continuation.resume(
                    returning: Result {
                        try requireFile()
                        var value: Value?
                        try database.inTransaction(.immediate) {
                            value = try body(database)
                            return .commit
                        }
                        try requireFile()
                        _ = try? database.checkpoint(.passive)
                        return value
                    })
            }
        }
        do {
            if let value = try result.get() { return value }
        } catch { throw StoreError(error, path: path) }
        preconditionFailure("A committed transaction has a value.")
    }

    /// Runs `body`, which only reads.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            connection.asyncWriteWithoutTransaction { [self] database in
                continuation.resume(
                    returning: Result {
                        try requireFile()
                        let value = try body(database)
                        // What was read from a file that nobody finds any more is no answer.
                        try requireFile()
                        return value
                    })
            }
        }
        do { return try result.get() } catch { throw StoreError(error, path: path) }
    }

    /// Throws `fileReplaced` while the files at the path are not those that were opened: what would
    /// be kept would go with them. Once the same files are back, nothing was kept elsewhere
    /// meanwhile, and the store goes on. `closed` once it is.
    public func requireFile() throws(StoreError) {
        if isClosed.withLock({ $0 }) { throw closedError }
        do throws(StoreError) { try watch.check() } catch {
            // Closing the last connection removes the write-ahead log, rightly.
            if isClosed.withLock({ $0 }) { throw closedError }
            throw StoreError(
                error.code, path: path, reason: error.reason,
                remedy: "Put the same files back, and what runs goes on; a copy of them, or a new"
                    + " file, is taken after a start. What was in quarantine or still to be"
                    + " delivered is gone with the old one; no answer is.")
        }
    }

    private var closedError: StoreError {
        StoreError(
            .closed, path: path, reason: "The file was closed.", remedy: "Open it again.")
    }
}
