internal import Foundation
internal import Ledger

/// The derived projection files of one data directory: which there are, which is current, and how
/// another one becomes current (`design.md` §3: nothing is renamed over or deleted while it may be
/// open; the switch atomically replaces a symbolic link).
public struct ProjectionFiles: Sendable {
    public let directory: String

    /// The path that people open.
    public static let linkName = "projections.sqlite"
    static let prefix = "projections-"

    public init(directory: String) { self.directory = directory }

    /// The real path of the current file; nil before the first build, or when it is gone.
    public func current() -> String? {
        let link = "\(directory)/\(ProjectionFiles.linkName)"
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
            return nil
        }
        let path = target.hasPrefix("/") ? target : "\(directory)/\(target)"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Names of all projection files, oldest first.
    public func names() -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return entries.filter { $0.hasPrefix(ProjectionFiles.prefix) && $0.hasSuffix(".sqlite") }
            .sorted { (number($0), $0) < (number($1), $1) }
    }

    /// A path that no file has had: numbers only rise.
    public func newPath() -> String {
        let highest = names().map(number).max() ?? 0
        return
            "\(directory)/\(ProjectionFiles.prefix)\(Lifecycle.reducerVersion)-\(highest + 1).sqlite"
    }

    private func number(_ name: String) -> Int {
        Int(name.dropLast(".sqlite".count).split(separator: "-").last ?? "") ?? 0
    }

    /// Makes `path` the current file, atomically and durably.
    public func use(_ path: String) throws(StoreError) {
        let name = (path as NSString).lastPathComponent
        let link = "\(directory)/\(ProjectionFiles.linkName)"
        let temporary = "\(directory)/.\(ProjectionFiles.linkName).\(getpid())"
        unlink(temporary)
        guard symlink(name, temporary) == 0, rename(temporary, link) == 0 else {
            throw StoreError(
                .ioError, path: link,
                reason: "The link cannot be replaced: \(String(cString: strerror(errno))).",
                remedy: "Check the permissions of the data directory.")
        }
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// Derived files that are of no use any more.
public enum DerivedFiles {
    /// Whether an error says that a derived file is damaged: then it is made again.
    public static func isDamage(_ error: StoreError) -> Bool { DerivedFile.isDamage(error) }

    /// Removes the facts, so that they are decoded again. `lock` shows that nobody projects.
    public static func discardFacts(in directory: String, holding lock: ProjectorLock) {
        DerivedFile.discard(FactsStore.path(in: directory))
    }
}

/// The right to project in a data directory: an advisory lock on `projector.lock`, given back when
/// the process ends, however it ends.
public final class ProjectorLock: Sendable {
    private let descriptor: Int32

    /// Nil while another process holds it.
    public init?(directory: String) {
        let path = "\(directory)/projector.lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, DatabaseFile.fileMode)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
