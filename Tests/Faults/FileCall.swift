import GRDBSQLite

/// The VFS calls that may fail (https://www.sqlite.org/c3ref/io_methods.html).
enum FileCall: CaseIterable, Sendable {
    case open, delete, access, read, write, truncate, sync, fileSize, lock, shmMap, shmLock

    /// The error code of SQLite's default VFS for the call.
    var failure: Int32 {
        switch self {
        case .open: SQLITE_CANTOPEN
        case .delete: FileCall.extended(10)
        case .access: FileCall.extended(13)
        // SQLITE_IOERR_CORRUPTFS: SQLite's code for EIO, which it finally reports as damage.
        case .read: FileCall.extended(33)
        case .write: FileCall.extended(3)
        case .truncate: FileCall.extended(6)
        case .sync: FileCall.extended(4)
        case .fileSize: FileCall.extended(7)
        case .lock: FileCall.extended(15)
        case .shmMap: FileCall.extended(21)
        case .shmLock: FileCall.extended(20)
        }
    }

    /// Whether the call changes a file's contents, or makes them durable.
    var isWriting: Bool {
        switch self {
        case .write, .truncate, .sync, .delete: true
        case .open, .access, .read, .fileSize, .lock, .shmMap, .shmLock: false
        }
    }

    /// Whether the call may need disk space.
    var needsRoom: Bool { self == .write || self == .shmMap }

    /// SQLITE_IOERR_…: macros not imported into Swift (https://www.sqlite.org/rescode.html).
    private static func extended(_ number: Int32) -> Int32 { SQLITE_IOERR | number << 8 }
}
