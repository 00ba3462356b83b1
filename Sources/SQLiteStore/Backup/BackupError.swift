/// Why a backup was not made or not restored: a stable code, the file, and what to do next.
///
/// Never holds a payload or a secret. Equality looks at the code only.
public struct BackupError: Error, Sendable, CustomStringConvertible {
    public let code: Code
    /// The file concerned.
    public let path: String
    /// What happened, one sentence.
    public let reason: String
    /// What to do about it, one sentence.
    public let remedy: String

    /// Stable names, for scripts.
    public enum Code: String, Sendable, CaseIterable {
        /// The environment has no log.
        case noLog
        /// The backup's file exists; no file is ever replaced.
        case backupExists
        /// There is no such backup, or it cannot be read.
        case backupUnreadable
        /// Not a backup of this program: it does not end with a description.
        case backupForeign
        /// Written by a newer release than this one.
        case backupNewer
        /// Truncated, altered, or different from its description.
        case backupDamaged
        /// A backup of another environment than the target.
        case backupEnvironment
        /// The log itself does not verify, so nothing was backed up.
        case logUnsound
        /// A log exists already.
        case logExists
        /// Another process has the log open.
        case logInUse
        /// Another process projects in the directory.
        case projectorBusy
    }

    init(_ code: Code, path: String, reason: String, remedy: String) {
        self.code = code
        self.path = path
        self.reason = reason
        self.remedy = remedy
    }

    public var description: String { "\(path): \(reason) \(remedy)" }
}

extension BackupError {
    /// Nothing to back up or to list in a directory or database.
    package static func noLog(_ path: String) -> BackupError {
        BackupError(
            .noLog, path: path, reason: "There is no log.",
            remedy: "Name the data directory with --data or --database, and --environment.")
    }
}

extension BackupError: Equatable {
    public static func == (left: BackupError, right: BackupError) -> Bool {
        left.code == right.code
    }
}
