import GRDBSQLite

/// What SQLite asks of its file system, as far as it may fail
/// (https://www.sqlite.org/c3ref/io_methods.html).
enum FileCall: CaseIterable, Sendable {
    case open, delete, access, read, write, truncate, sync, fileSize, lock, shmMap, shmLock

    /// The error SQLite's own file system reports for the call.
    var failure: Int32 {
        switch self {
        case .open: SQLITE_CANTOPEN
        case .delete: FileCall.extended(10)
        case .access: FileCall.extended(13)
        // SQLITE_IOERR_CORRUPTFS: what SQLite makes of EIO, and calls damage in the end.
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

    /// The call changes what is in a file, or makes it durable.
    var isWriting: Bool {
        switch self {
        case .write, .truncate, .sync, .delete: true
        case .open, .access, .read, .fileSize, .lock, .shmMap, .shmLock: false
        }
    }

    /// The call may need room on the disk.
    var needsRoom: Bool { self == .write || self == .shmMap }

    /// SQLITE_IOERR_…: macros that do not reach Swift (https://www.sqlite.org/rescode.html).
    private static func extended(_ number: Int32) -> Int32 { SQLITE_IOERR | number << 8 }
}
