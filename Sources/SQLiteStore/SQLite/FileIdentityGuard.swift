internal import Foundation
internal import LedgerStore

/// The identities of an open database's files, to detect when one is deleted, moved or replaced.
/// SQLite would continue with the unlinked file, and acknowledged events would be lost with it
/// (https://www.sqlite.org/howtocorrupt.html §4.2).
///
/// Examines paths only. A second descriptor on the database must never be opened: closing it drops
/// the locks of every connection of this process (the same page, §2.2).
struct FileIdentityGuard: Sendable {
    private let path: String
    private let files: [(path: String, identity: FileIdentity)]

    /// The suffixes of the database, its write-ahead log and its shared memory index.
    static let suffixes = ["", "-wal", "-shm"]

    /// Call it after the database was opened and read, when all three files exist.
    ///
    /// Throws `fileReplaced` when one is already missing.
    init(path: String) throws(StoreError) {
        self.path = path
        var files: [(path: String, identity: FileIdentity)] = []
        for suffix in FileIdentityGuard.suffixes {
            guard let identity = FileIdentity(path: path + suffix) else {
                throw FileIdentityGuard.error(
                    path: path, "\(FileIdentityGuard.name(path + suffix)) is gone.")
            }
            files.append((path + suffix, identity))
        }
        self.files = files
    }

    /// Throws `fileReplaced` unless every file is still the one that was opened.
    func check() throws(StoreError) {
        for file in files {
            let now = FileIdentity(path: file.path)
            guard now != file.identity else { continue }
            throw FileIdentityGuard.error(
                path: path,
                "\(FileIdentityGuard.name(file.path)) is \(now == nil ? "gone" : "another file now")."
            )
        }
    }

    /// The name without its directory, which network clients need not see; `path` has the full
    /// path.
    static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

    static func error(path: String, _ detail: String) -> StoreError {
        StoreError(
            .fileReplaced, path: path,
            reason: "The file was deleted, moved or replaced while it was open. \(detail)",
            remedy: "Put the file back as it was, or restore a backup, then start again;"
                + " what was not acknowledged can be appended again.")
    }
}
