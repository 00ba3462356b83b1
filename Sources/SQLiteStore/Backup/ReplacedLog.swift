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

    /// Gives the file, and its write-ahead log, a second name; the original names remain.
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
        if !hasNoPendingWrites, link(log + "-wal", path + "-wal") != 0 {
            let failure = DatabaseFile.systemError(errno, path: path + "-wal")
            unlink(path)
            throw failure
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

    /// Removes the second name of a log that a killed run left with two.
    static func removeUnfinished(in directory: String, log: String) {
        guard let own = stat.at(log), own.st_nlink > 1 else { return }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries where entry.hasPrefix(prefix) && entry.hasSuffix(suffix) {
            let path = "\(directory)/\(entry)"
            guard let other = stat.ofLink(at: path), FileIdentity(other) == FileIdentity(own)
            else { continue }
            // Its write-ahead log may have lost its original name already, which is restored.
            guard
                link(path + "-wal", log + "-wal") == 0 || errno == ENOENT
                    || isSame(path + "-wal", log + "-wal")
            else { continue }
            unlink(path + "-wal")
            unlink(path)
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
