internal import AppStore
internal import Foundation

/// Gives a log that is replaced another name, under which it is kept for ever:
/// `log-replaced-<time>.sqlite`, with its write-ahead log where it has one.
struct SetAside {
    /// The log's file. The caller holds its `LogExclusion`.
    let log: String
    let now: Timestamp

    private static let prefix = "log-replaced-"
    private static let suffix = ".sqlite"

    /// Whether everything that was committed stands in the file itself.
    var hasNoPendingWrites: Bool {
        var status = stat()
        return stat(log + "-wal", &status) != 0 || status.st_size == 0
    }

    /// The file has a second name when this returns, and so has its write-ahead log; the first
    /// ones are as they were.
    func keep() throws(StoreError) -> String {
        let directory = DatabaseFile.parent(of: log)
        let time = now.rfc3339.filter { $0 != ":" }
        var (name, count) = ("\(SetAside.prefix)\(time)\(SetAside.suffix)", 1)
        while link(log, "\(directory)/\(name)") != 0 {
            guard errno == EEXIST else { throw DatabaseFile.systemError(errno, path: log) }
            count += 1
            name = "\(SetAside.prefix)\(time)-\(count)\(SetAside.suffix)"
        }
        let path = "\(directory)/\(name)"
        if !hasNoPendingWrites, link(log + "-wal", path + "-wal") != 0 {
            let failure = DatabaseFile.systemError(errno, path: path + "-wal")
            unlink(path)
            throw failure
        }
        try OpenFile.directory(directory).synchronize()
        return path
    }

    /// Takes the first names of the write-ahead log and its index away: SQLite would play them
    /// into whatever file bears the log's name.
    func removeSidecars() throws(StoreError) {
        for suffix in ["-wal", "-shm", "-journal"] {
            guard unlink(log + suffix) == 0 || errno == ENOENT else {
                throw DatabaseFile.systemError(errno, path: log + suffix)
            }
        }
        try OpenFile.directory(DatabaseFile.parent(of: log)).synchronize()
    }

    /// A run that died before the log was replaced left it with two names: one goes.
    static func removeUnfinished(in directory: String, log: String) {
        var own = stat()
        guard stat(log, &own) == 0, own.st_nlink > 1 else { return }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries where entry.hasPrefix(prefix) && entry.hasSuffix(suffix) {
            let path = "\(directory)/\(entry)"
            var other = stat()
            guard lstat(path, &other) == 0, other.st_dev == own.st_dev, other.st_ino == own.st_ino
            else { continue }
            // Its write-ahead log may have lost its first name already, and is needed under it.
            guard
                link(path + "-wal", log + "-wal") == 0 || errno == ENOENT
                    || isSame(path + "-wal", log + "-wal")
            else { continue }
            unlink(path + "-wal")
            unlink(path)
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(left, &first) == 0 && stat(right, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
