internal import Foundation
internal import GRDB
internal import Ledger
public import LedgerStore

/// The derived files of one kind in one environment: which exist, which is current, and how another
/// one becomes current (`Log.md` §3: no file is renamed over or deleted while it may be open;
/// the switch atomically replaces a symbolic link).
public struct DerivedFiles: Sendable {
    public let directory: String
    /// The path for people and commands to open: a link to the current file.
    public let linkName: String
    /// The prefix of all file names of the kind.
    let prefix: String
    /// The prefix of the files this release creates.
    private let ownPrefix: String
    /// Whether files that are not current are kept, so that they can be made current again.
    private let keepsOthers: Bool

    /// `projections.sqlite` and the `projections-<reducerVersion>-<n>.sqlite` files it may name.
    public static func projections(in directory: String) -> DerivedFiles {
        DerivedFiles(
            directory: directory, linkName: "projections.sqlite", prefix: "projections-",
            ownPrefix: "projections-\(Lifecycle.reducerVersion)-", keepsOthers: true)
    }

    /// `facts-<decoderVersion>.sqlite` and the `facts-<decoderVersion>-<n>.sqlite` files it may
    /// name.
    public static func facts(in directory: String) -> DerivedFiles {
        let prefix = "facts-\(Fact.decoderVersion)"
        return DerivedFiles(
            directory: directory, linkName: "\(prefix).sqlite", prefix: "facts-",
            ownPrefix: "\(prefix)-", keepsOthers: false)
    }

    public func path(of name: String) -> String { "\(directory)/\(name)" }

    /// The last component of a path.
    public static func name(of path: String) -> String { (path as NSString).lastPathComponent }

    /// The path of an existing file of the kind. Throws `noSuchFile` for any other name, including
    /// links and paths.
    public func requiredPath(of name: String) throws(StoreError) -> String {
        guard isFile(name), name != linkName else {
            throw StoreError(
                .noSuchFile, path: path(of: linkName), reason: "No derived file has that name.",
                remedy: "`subledger projections list` names them.")
        }
        return path(of: name)
    }

    private var link: String { path(of: linkName) }

    /// Whether any process has the current file open, as a running service has. Blocks.
    public var isOpen: Bool { current().map { (try? isUnopened($0)) == false } ?? false }

    /// The real path of the current file; nil before the first build, when it is missing, or when
    /// the link does not name a file of the kind in this directory: the projector writes to the
    /// current file.
    public func current() -> String? {
        guard let target = linkedName() else {
            // In releases before files were numbered, the facts themselves have this name.
            return FileManager.default.fileExists(atPath: link) ? link : nil
        }
        return isFile(target) ? path(of: target) : nil
    }

    /// The target of the link, whether or not the file exists; nil without a link.
    public func linkedName() -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    var entries: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    /// Names of all files of the kind, oldest first.
    public func names() -> [String] {
        entries.filter { isName($0) && $0 != linkName }.sorted {
            (number($0), $0) < (number($1), $1)
        }
    }

    /// Names of all files of the kind but the current one, oldest first.
    public func otherNames() -> [String] {
        let current = current()
        return names().filter { path(of: $0) != current }
    }

    /// Whether the name is one this program assigns: the kind, a version and a number. Other files
    /// are not touched.
    private func isName(_ entry: String) -> Bool {
        guard entry.hasPrefix(prefix), entry.hasSuffix(".sqlite") else { return false }
        let parts = entry.dropFirst(prefix.count).dropLast(".sqlite".count)
            .split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy(\.isNumber) }
    }

    /// Whether a regular file, not a link, has a name that this program assigns.
    private func isFile(_ name: String) -> Bool {
        isName(name) && stat.ofLink(at: path(of: name))?.kind == S_IFREG
    }

    /// Whether the link has a target other than a file of the kind, existing or missing.
    public var isLinkForeign: Bool {
        guard let target = linkedName() else { return false }
        return !isName(target) || (!isFile(target) && stat.ofLink(at: path(of: target)) != nil)
    }

    /// Size on disk of a database and its write-ahead log.
    package static func byteCount(_ path: String) -> Int64 {
        ["", "-wal"].reduce(0) { $0 + Int64(stat.at(path + $1)?.st_size ?? 0) }
    }

    /// A path never used before: numbers only increase.
    public func newPath() -> String {
        let highest =
            entries.filter { $0.hasPrefix(prefix) }.map { entry in
                number(entry.replacingOccurrences(of: BulkFile.suffix, with: ""))
            }.max() ?? 0
        let linked = number(linkedName() ?? "")
        return path(of: "\(ownPrefix)\(max(highest, linked) + 1).sqlite")
    }

    /// The number in a name; 0 for a foreign name, including one whose number is so large that the
    /// next one could overflow.
    private func number(_ name: String) -> Int {
        Int(Int32(name.dropLast(".sqlite".count).split(separator: "-").last ?? "") ?? 0)
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
        try OpenFile.directory(directory).synchronize()
    }

    // MARK: Removing

    /// Removes the leftovers of processes that died: unfinished builds, links not yet in place,
    /// scratch directories. `lock` proves that no process is using them.
    public func removeUnfinished(holding lock: ProjectorLock) {
        for entry in entries {
            let isUnfinished = entry.hasPrefix(prefix) && entry.contains(BulkFile.suffix)
            if isUnfinished || entry.hasPrefix(".\(linkName).") || entry.hasPrefix(".run-") {
                unlink(path(of: entry))
            }
        }
        if !keepsOthers { dropOthers(holding: lock) }
        removeScratch(holding: lock)
    }

    /// Removes the files other than the current one that no process has open; none can become
    /// current again.
    private func dropOthers(holding lock: ProjectorLock) {
        guard current() != nil else { return }
        for name in otherNames() { _ = try? drop(name, holding: lock) }
        // A journal whose database was never created.
        for entry in entries where entry.hasPrefix(prefix) && entry.hasSuffix("-journal") {
            let file = String(entry.dropLast("-journal".count))
            if !FileManager.default.fileExists(atPath: path(of: file)) { unlink(path(of: entry)) }
        }
    }

    private static let scratchPrefix = ".check-"

    /// A new directory for temporary files, next to the derived files so that it is on the same
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
        for entry in entries where entry.hasPrefix(DerivedFiles.scratchPrefix) {
            try? FileManager.default.removeItem(atPath: path(of: entry))
        }
    }

    /// Removes a file that is not current and that no process has open. False when it is open.
    ///
    /// SQLite lets only the last connection of all processes leave WAL mode
    /// (https://www.sqlite.org/wal.html), which shows that no other connection exists.
    ///
    /// Throws `fileInUse` for the current one, `noSuchFile`, or the error SQLite reported.
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
        let configuration = Configuration(pragmas: ["locking_mode = EXCLUSIVE"])
        do {
            return try DatabaseQueue.once(path, configuration) { database in
                // Any other file with such a name, such as a backup of a log, must not be removed.
                if try database.tableExists("events") { return false }
                return try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
                    == "delete"
            }
        } catch {
            let failure = StoreError(error, path: path)
            if failure.code == .fileLocked { return false }
            // Damaged beyond opening: no process can be reading it.
            if failure.isDamage { return true }
            throw failure
        }
    }
}
