package import Foundation
package import LedgerStore

/// The status of a file (stat(2)).
extension stat {
    /// Of what is at a path; nil when nothing is there, or it cannot be examined.
    package static func at(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// As `at`, but throws `fileReadOnly` or `ioError` where it cannot be examined.
    package static func existing(_ path: String) throws(StoreError) -> stat? {
        if let status = at(path) { return status }
        let number = errno
        guard number == ENOENT || number == ENOTDIR else {
            throw DatabaseFile.systemError(number, path: path)
        }
        return nil
    }

    /// As `at`, of a link itself instead of what it names.
    static func ofLink(at path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Of an open file.
    static func of(_ descriptor: Int32) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// `S_IFREG`, `S_IFDIR` or another kind.
    var kind: mode_t { st_mode & S_IFMT }
}
