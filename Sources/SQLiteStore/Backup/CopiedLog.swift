internal import Foundation
public import LedgerStore

/// A copy of a log in a read-only place, for an audit. SQLite can open a file with a write-ahead
/// log only in a directory that it may write to, so both are copied into a separate directory and
/// opened there. The copy includes the contents of the write-ahead log.
public final class CopiedLog: Sendable {
    /// The copy, open.
    public let log: EventLog
    private let directory: String

    /// How often the copy is retried when another user writes meanwhile.
    private static let attemptCount = 3

    /// Whether the log of an environment's directory, or that directory, is read-only.
    public static func isNeeded(for directory: String) -> Bool {
        ["", "/\(EventLog.fileName)"].contains { access(directory + $0, W_OK) != 0 }
    }

    /// Copies and opens the log of an environment's directory; needs as much space for temporary
    /// files as the log takes.
    ///
    /// Throws what `EventLog.open` throws, and `ioError` for a log that keeps changing.
    public static func open(_ directory: String) async throws(StoreError) -> CopiedLog {
        try await open(directory, copyingTo: FileManager.default.temporaryDirectory.path)
    }

    /// - `parent`: the directory for temporary files.
    static func open(
        _ directory: String, copyingTo parent: String
    ) async throws(StoreError) -> CopiedLog {
        let place = try await Blocking.run { () throws(StoreError) in
            try CopiedLog.copy(directory, in: parent)
        }
        do throws(StoreError) {
            return CopiedLog(log: try await EventLog.open(directory: place), directory: place)
        } catch {
            remove(place)
            throw error
        }
    }

    private init(log: EventLog, directory: String) {
        self.log = log
        self.directory = directory
    }

    /// Closes the log and removes the copy.
    public func close() async {
        await log.close()
        CopiedLog.remove(directory)
    }

    private static func remove(_ directory: String) {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Copies the log into a new directory in `parent`; returns that of the copy.
    private static func copy(_ directory: String, in parent: String) throws(StoreError) -> String {
        let source = "\(directory)/\(EventLog.fileName)"
        try ReplacedLog.requireFinished(source)
        for _ in 0..<attemptCount {
            let before = trace(source)
            let target = "\(parent)/subledger-audit-\(UUID().uuidString)"
            guard mkdir(target, DatabaseFile.directoryMode) == 0 else {
                let number = errno
                throw StoreError(
                    DatabaseFile.systemError(number, path: parent).code, path: parent,
                    reason: "No copy of the log can be made in it."
                        + " \(String(cString: strerror(number))).",
                    remedy: "Name a writable directory with room for the log in TMPDIR.")
            }
            do throws(StoreError) {
                for suffix in ["", "-wal"] {
                    try copy(source + suffix, to: "\(target)/\(EventLog.fileName)\(suffix)")
                }
            } catch {
                remove(target)
                throw error
            }
            if trace(source) == before { return target }
            remove(target)
        }
        throw StoreError(
            .ioError, path: source, reason: "Another user writes to it while it is copied.",
            remedy: "Audit it as that user, or audit a backup.")
    }

    /// The -wal may be missing. The copy is writable, whatever the mode of the original.
    private static func copy(_ source: String, to target: String) throws(StoreError) {
        let source = URL(filePath: source).resolvingSymlinksInPath().path
        guard access(source, F_OK) == 0 else { return }
        do {
            try FileManager.default.copyItem(atPath: source, toPath: target)
            try FileManager.default.setAttributes(
                [.posixPermissions: Int(DatabaseFile.fileMode)], ofItemAtPath: target)
        } catch {
            if (error as? CocoaError)?.code == .fileWriteOutOfSpace {
                throw .full(path: target, "There is no space for a copy of the log.")
            }
            throw StoreError(
                .ioError, path: source, reason: "It cannot be copied to \(target).",
                remedy: "Check its permissions, and the free space in TMPDIR.")
        }
    }

    private static func trace(_ source: String) -> [FileTrace?] {
        ["", "-wal"].map { FileTrace(source + $0) }
    }
}
