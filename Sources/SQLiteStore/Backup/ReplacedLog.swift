internal import AppStore
internal import Foundation
internal import LedgerStore

/// Renames a log that is being replaced to `log-replaced-<time>.sqlite`, under which it is kept
/// permanently, with its write-ahead log if there is one.
struct ReplacedLog {
    /// The log's file. The caller holds its `LogExclusion`.
    let log: String
    let now: Timestamp

    private static let prefix = "log-replaced-"
    private static let suffix = ".sqlite"

    /// Whether all committed data is in the file itself.
    var hasNoPendingWrites: Bool { stat.at(log + "-wal")?.st_size ?? 0 == 0 }

    /// Gives the file a second name, and renames its write-ahead log, if there is one, to match:
    /// the log is then not opened (`requireFinished`), since it would lack its last transactions.
    func keep() throws(StoreError) -> String {
        let directory = DatabaseFile.parent(of: log)
        var count = 1
        // A write-ahead log that was kept alone also occupies a name.
        while exists("\(directory)/\(name(count))-wal")
            || link(log, "\(directory)/\(name(count))") != 0
        {
            guard errno == EEXIST else { throw DatabaseFile.systemError(errno, path: log) }
            count += 1
        }
        let path = "\(directory)/\(name(count))"
        try OpenFile.directory(directory).synchronize()
        guard !hasNoPendingWrites else { return path }
        guard rename(log + "-wal", path + "-wal") == 0 else {
            throw DatabaseFile.systemError(errno, path: path + "-wal")
        }
        try OpenFile.directory(directory).synchronize()
        return path
    }

    /// As `keep`, where only a write-ahead log is left of the log. It may hold events that are
    /// stored nowhere else; nil when it is empty.
    func keepOrphan() throws(StoreError) -> String? {
        guard !hasNoPendingWrites else { return nil }
        let directory = DatabaseFile.parent(of: log)
        var count = 1
        var path = "\(directory)/\(name(count))-wal"
        while link(log + "-wal", path) != 0 {
            guard errno == EEXIST else { throw DatabaseFile.systemError(errno, path: log + "-wal") }
            if ReplacedLog.isSame(log + "-wal", path) { break }
            count += 1
            path = "\(directory)/\(name(count))-wal"
        }
        try OpenFile.directory(directory).synchronize()
        return path
    }

    /// The name of the `count`th log kept at this time.
    private func name(_ count: Int) -> String {
        let time = now.rfc3339.filter { $0 != ":" }
        let number = count == 1 ? "" : "-\(count)"
        return "\(ReplacedLog.prefix)\(time)\(number)\(ReplacedLog.suffix)"
    }

    /// Removes the original names of the write-ahead log and its index: SQLite would replay them
    /// into any file with the log's name.
    func removeSidecars() throws(StoreError) {
        for suffix in ["-wal", "-shm", "-journal"] {
            guard unlink(log + suffix) == 0 || errno == ENOENT else {
                throw DatabaseFile.systemError(errno, path: log + suffix)
            }
        }
        try OpenFile.synchronizeDirectory(of: log)
    }

    // MARK: A run that was killed or failed

    /// Throws `fileCorrupt` for a log whose write-ahead log has another name, and `fileReplaced`
    /// for a missing log beside one that was replaced: events would be lost, or positions assigned
    /// twice. Looks at names only, so that it has no effect on a run that goes on.
    static func requireFinished(_ log: String) throws(StoreError) {
        if stat.at(log) == nil, !entries(beside: log).isEmpty {
            throw StoreError(
                .fileReplaced, path: log,
                reason: "The file is missing, but one that a restore replaced is beside it.",
                remedy: "Put the file back as it was, or `subledger restore` a backup; to start a"
                    + " new ledger, use another data directory.")
        }
        for path in secondNames(of: log) where stat.ofLink(at: path + "-wal") != nil {
            throw StoreError(
                .fileCorrupt, path: log,
                reason: "A restore that did not end has renamed its write-ahead log.",
                remedy:
                    "Run the same `subledger restore` again; it puts that back first, unless the"
                    + " log was written to since.")
        }
    }

    /// Takes back `keep`, unless the new log has taken the log's name.
    static func removeUnfinished(_ log: String) {
        for path in secondNames(of: log) {
            if let writes = stat.ofLink(at: path + "-wal") {
                // Renaming it set its time of change. Into a log that was written to since, SQLite
                // would replay older pages.
                let renamed = writes.st_ctim
                guard let written = stat.at(log)?.st_mtim,
                    (written.tv_sec, written.tv_nsec) <= (renamed.tv_sec, renamed.tv_nsec),
                    link(path + "-wal", log + "-wal") == 0 || isSame(path + "-wal", log + "-wal")
                else { continue }
                unlink(path + "-wal")
            }
            unlink(path)
        }
    }

    /// What restores kept beside a log.
    private static func entries(beside log: String) -> [String] {
        let directory = DatabaseFile.parent(of: log)
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return entries.filter { $0.hasPrefix(prefix) }.map { "\(directory)/\($0)" }
    }

    /// The names that `keep` gave to a log which has not been replaced.
    private static func secondNames(of log: String) -> [String] {
        guard let own = stat.at(log), own.st_nlink > 1 else { return [] }
        return entries(beside: log).filter { path in
            path.hasSuffix(suffix)
                && stat.ofLink(at: path).map { FileIdentity($0) } == FileIdentity(own)
        }
    }

    /// Sets `errno` as link(2) does.
    private func exists(_ path: String) -> Bool {
        guard stat.ofLink(at: path) != nil else { return false }
        errno = EEXIST
        return true
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard let first = FileIdentity(path: left) else { return false }
        return first == FileIdentity(path: right)
    }
}
