internal import Foundation
internal import GRDB
internal import LedgerStore

extension StoreError {
    /// Translates SQLite's errors (https://www.sqlite.org/rescode.html). SQLite's message is kept
    /// only where it names schema, never values.
    init(_ error: any Error, path: String) {
        if let known = error as? StoreError {
            self = known
        } else if StoreError.isCancellation(error) {
            self.init(
                .closed, path: path, reason: "The work was cancelled.", remedy: "Start it again.")
        } else if let failure = error as? DatabaseError {
            self.init(sqlite: failure, path: path)
        } else if error is FactReader.Damage {
            self = .corrupt(path: path, "A stored value cannot be read.")
        } else {
            self.init(
                .databaseFailure, path: path, reason: "An unexpected failure: \(type(of: error)).",
                remedy: "Run `subledger doctor`.")
        }
    }

    /// GRDB ends the statements of a cancelled task; the file is sound.
    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT
    }

    private init(sqlite error: DatabaseError, path: String) {
        let detail = "SQLite reports code \(error.extendedResultCode.rawValue)."
        switch error.resultCode {
        case .SQLITE_NOTADB:
            self.init(
                .fileNotDatabase, path: path, reason: "This is not an SQLite file. \(detail)",
                remedy: "Name another data directory, or restore the file from a backup.")
        case .SQLITE_CORRUPT:
            self = .corrupt(path: path, detail)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = .readOnly(path: path, detail)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .fileLocked, path: path, reason: "Another process holds the file. \(detail)",
                remedy: "Wait for it to finish, or end it; then try again.")
        case .SQLITE_FULL:
            self = .full(path: path, detail)
        case .SQLITE_CANTOPEN where error.extendedResultCode == .SQLITE_CANTOPEN_ISDIR:
            self.init(
                .ioError, path: path, reason: "There is a directory in place of the file.",
                remedy: "Move it away, or name another data directory.")
        case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_PROTOCOL:
            if let cause = StoreError.cause(of: error, path: path, detail) {
                self = cause
                return
            }
            self.init(
                .ioError, path: path,
                reason: "The operating system refused to read or write. \(detail)",
                remedy: "Check the disk and the permissions of the directory.")
        // GRDB's error after `close`. Any other misuse is a defect of the program.
        case .SQLITE_MISUSE where error.message == "Connection is closed":
            self = .closed(path, "file")
        case .SQLITE_CONSTRAINT:
            self = .corrupt(path: path, "Rows contradict each other. \(detail)")
        default:
            self.init(
                .databaseFailure, path: path, reason: detail, remedy: "Run `subledger doctor`.")
        }
    }

    /// The cause from the file system where SQLite reports none: it cannot create the companion
    /// files of a database on a read-only mount, nor grow its shared memory on a full one. Nil for
    /// any other cause.
    private static func cause(
        of error: DatabaseError, path: String, _ detail: String
    ) -> StoreError? {
        let directory = DatabaseFile.parent(of: path)
        if error.resultCode == .SQLITE_CANTOPEN, isDenied(path) || isDenied(directory) {
            return .readOnly(path: path, detail)
        }
        if error.extendedResultCode == .SQLITE_IOERR_SHMSIZE,
            FreeDiskSpace.isGone(freeByteCount: FreeDiskSpace.freeByteCount(directory))
        {
            return .full(path: path, detail)
        }
        return nil
    }

    private static func isDenied(_ place: String) -> Bool {
        guard access(place, W_OK) != 0 else { return false }
        return errno == EACCES || errno == EPERM || errno == EROFS
    }

    static func full(path: String, _ detail: String) -> StoreError {
        StoreError(
            .diskFull, path: path, reason: "The disk is full. \(detail)",
            remedy: "Free space; nothing acknowledged was lost. Then try again.")
    }

    static func corrupt(path: String, _ detail: String) -> StoreError {
        StoreError(
            .fileCorrupt, path: path, reason: "The file is damaged. \(detail)",
            remedy: "Stop writing, keep the file, and restore the newest backup that verifies.")
    }

    static func readOnly(path: String, _ detail: String) -> StoreError {
        StoreError(
            .fileReadOnly, path: path, reason: "The file cannot be written. \(detail)",
            remedy: "Give this user write permission on the file and its directory.")
    }
}
