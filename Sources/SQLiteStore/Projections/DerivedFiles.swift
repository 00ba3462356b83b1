internal import Foundation
internal import GRDB
internal import Ledger
public import LedgerStore

/// The files of one kind that are derived from one environment's log: which there are, which is
/// current, and how another one becomes current (`design.md` §3: nothing is renamed over or deleted
/// while it may be open; the switch atomically replaces a symbolic link).
public struct DerivedFiles: Sendable {
    public let directory: String
    /// The path that people and commands open: a link to the current file.
    public let linkName: String
    /// What the names of all files of the kind begin with.
    let prefix: String
    /// What those that this release makes begin with.
    private let ownPrefix: String
    /// Whether files that are not current are kept, to be made current again.
    private let keepsOthers: Bool

    /// `projections.sqlite` and the `projections-<reducerVersion>-<n>.sqlite` it may name.
    public static func projections(in directory: String) -> DerivedFiles {
        DerivedFiles(
            directory: directory, linkName: "projections.sqlite", prefix: "projections-",
            ownPrefix: "projections-\(Lifecycle.reducerVersion)-", keepsOthers: true)
    }

    /// `facts-<decoderVersion>.sqlite` and the `facts-<decoderVersion>-<n>.sqlite` it may name.
    public static func facts(in directory: String) -> DerivedFiles {
        let prefix = "facts-\(Fact.decoderVersion)"
        return DerivedFiles(
            directory: directory, linkName: "\(prefix).sqlite", prefix: "facts-",
            ownPrefix: "\(prefix)-", keepsOthers: false)
    }

    public func path(of name: String) -> String { "\(directory)/\(name)" }

    /// The last part of a path.
    public static func name(of path: String) -> String { (path as NSString).lastPathComponent }

    /// The path of a file of the kind that exists. Throws `noSuchFile` for any other name, links
    /// and paths included.
    public func requiredPath(of name: String) throws(StoreError) -> String {
        guard isFile(name), name != linkName else {
            throw StoreError(
                .noSuchFile, path: path(of: linkName), reason: "No derived file has that name.",
                remedy: "`subledger projections list` names them.")
        }
        return path(of: name)
    }

    private var link: String { path(of: linkName) }

    /// The real path of the current file; nil before the first build, or when it is gone, or when the
    /// link names anything but a file of the kind in this directory: what is current is written to.
    public func current() -> String? {
        guard let target = linkedName() else {
            // Facts of a release before files were numbered stand there themselves.
            return FileManager.default.fileExists(atPath: link) ? link : nil
        }
        return isFile(target) ? path(of: target) : nil
    }

    /// The name the link names, whether or not the file exists; nil without a link.
    public func linkedName() -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    /// Names of all files of the kind, oldest first.
    public func names() -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return entries.filter { isName($0) && $0 != linkName }.sorted {
            (number($0), $0) < (number($1), $1)
        }
    }

    /// Whether it is one that we give: the kind, a version and a number. Others are somebody's.
    private func isName(_ entry: String) -> Bool {
        guard entry.hasPrefix(prefix), entry.hasSuffix(".sqlite") else { return false }
        let parts = entry.dropFirst(prefix.count).dropLast(".sqlite".count)
            .split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy(\.isNumber) }
    }

    /// Whether a file itself, and no link, has a name that we give.
    private func isFile(_ name: String) -> Bool {
        var status = stat()
        return isName(name) && lstat(path(of: name), &status) == 0
            && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether the link leads to something else than a file of the kind that is merely gone.
    public var isLinkForeign: Bool {
        guard let target = linkedName() else { return false }
        var status = stat()
        return !isName(target) || (!isFile(target) && lstat(path(of: target), &status) == 0)
    }

    /// Bytes of a file and its write-ahead log on the disk.
    public func byteCount(of name: String) -> Int64 {
        ["", "-wal"].reduce(Int64(0)) { sum, suffix in
            var status = stat()
            return stat(path(of: name) + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    /// A path that no file has had: numbers only rise.
    public func newPath() -> String {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let highest =
            entries.filter { $0.hasPrefix(prefix) }.map { entry in
                number(entry.replacingOccurrences(of: BulkFile.suffix, with: ""))
            }.max() ?? 0
        let linked = number(linkedName() ?? "")
        return path(of: "\(ownPrefix)\(max(highest, linked) + 1).sqlite")
    }

    private func number(_ name: String) -> Int {
        Int(name.dropLast(".sqlite".count).split(separator: "-").last ?? "") ?? 0
    }

    // MARK: Switching

    /// Makes `path` the current file, atomically and durably.
    public func use(_ path: String) throws(StoreError) {
        let name = DerivedFiles.name(of: path)
        let temporary = self.path(of: ".\(linkName).\(getpid())")
        unlink(temporary)
        guard symlink(name, temporary) == 0, rename(temporary, link) == 0 else {
            let number = errno
            unlink(temporary)
            throw StoreError(
                number == ENOSPC ? .diskFull : .ioError, path: link,
                reason: "The link cannot be replaced: \(String(cString: strerror(number))).",
                remedy: "Check the permissions of the data directory and the space on the disk.")
        }
        try BulkFile.synchronize(directory)
    }

    // MARK: Removing

    /// What a process that died left behind: unfinished builds, links not yet in place, scratch
    /// directories. `lock` shows that nobody is at work.
    public func removeUnfinished(holding lock: ProjectorLock) {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries {
            let isUnfinished = entry.hasPrefix(prefix) && entry.contains(BulkFile.suffix)
            if isUnfinished || entry.hasPrefix(".\(linkName).") || entry.hasPrefix(".run-") {
                unlink(path(of: entry))
            }
        }
        if !keepsOthers { dropOthers(holding: lock) }
        removeScratch(holding: lock)
    }

    /// Files beside the current one that nobody has open: nobody can make them current either.
    private func dropOthers(holding lock: ProjectorLock) {
        guard let current = current() else { return }
        for name in names() where path(of: name) != current {
            _ = try? drop(name, holding: lock)
        }
        // A journal whose file never came to be.
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries where entry.hasPrefix(prefix) && entry.hasSuffix("-journal") {
            let file = String(entry.dropLast("-journal".count))
            if !FileManager.default.fileExists(atPath: path(of: file)) { unlink(path(of: entry)) }
        }
    }

    private static let scratchPrefix = ".check-"

    /// A new directory for what is made and thrown away, beside the files so that it is on their
    /// disk.
    public func makeScratch(holding lock: ProjectorLock) throws(StoreError) -> String {
        let path = path(of: "\(DerivedFiles.scratchPrefix)\(getpid())")
        guard mkdir(path, DatabaseFile.directoryMode) == 0 else {
            throw DatabaseFile.systemError(errno, path: path)
        }
        return path
    }

    /// Removes scratch directories of processes that died.
    public func removeScratch(holding lock: ProjectorLock) {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for entry in entries where entry.hasPrefix(DerivedFiles.scratchPrefix) {
            try? FileManager.default.removeItem(atPath: path(of: entry))
        }
    }

    /// Removes a file that is not current and that nobody has open. False when somebody has.
    ///
    /// SQLite gives up the write-ahead log only to the last connection of all processes
    /// (https://www.sqlite.org/wal.html): that is how "nobody" is known.
    ///
    /// Throws `fileInUse` for the current one, `noSuchFile`, or what SQLite met.
    public func drop(_ name: String, holding lock: ProjectorLock) throws(StoreError) -> Bool {
        let path = try requiredPath(of: name)
        guard path != current() else {
            throw StoreError(
                .fileInUse, path: path, reason: "It is the current file.",
                remedy: "Make another one current first: `subledger projections use`.")
        }
        guard try isUnopened(path) else { return false }
        DerivedFile.discard(path)
        return true
    }

    private func isUnopened(_ path: String) throws(StoreError) -> Bool {
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let isUnopened = try queue.inDatabase { database in
                // Somebody's own file under such a name, a backup say, is not ours to remove.
                if try database.tableExists("events") { return false }
                return try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
                    == "delete"
            }
            try queue.close()
            return isUnopened
        } catch {
            let failure = StoreError(error, path: path)
            if failure.code == .fileLocked { return false }
            // Damaged beyond opening: nobody can be reading it.
            if failure.isDamage { return true }
            throw failure
        }
    }
}
