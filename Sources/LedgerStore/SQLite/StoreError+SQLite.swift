internal import GRDB

extension StoreError {
    /// Translates what SQLite reported (https://www.sqlite.org/rescode.html). SQLite's message is
    /// kept only where it names schema, never values.
    init(_ error: any Error, path: String) {
        if let known = error as? StoreError {
            self = known
        } else if let failure = error as? DatabaseError {
            self.init(sqlite: failure, path: path)
        } else {
            self.init(
                .databaseFailure, path: path, reason: "An unexpected failure: \(type(of: error)).",
                remedy: "Run `subledger doctor`.")
        }
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
            self.init(
                .diskFull, path: path, reason: "The disk is full. \(detail)",
                remedy: "Free space; nothing acknowledged was lost. Then try again.")
        case .SQLITE_CANTOPEN where error.extendedResultCode == .SQLITE_CANTOPEN_ISDIR:
            self.init(
                .ioError, path: path, reason: "A directory stands where the file should be.",
                remedy: "Move it away, or name another data directory.")
        case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_PROTOCOL:
            self.init(
                .ioError, path: path,
                reason: "The operating system refused to read or write. \(detail)",
                remedy: "Check the disk and the permissions of the directory.")
        case .SQLITE_CONSTRAINT:
            self = .corrupt(path: path, "A row contradicts another one. \(detail)")
        default:
            self.init(
                .databaseFailure, path: path, reason: detail, remedy: "Run `subledger doctor`.")
        }
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
