internal import Foundation

/// The identity of the file at a path: device and inode (stat(2)). An inode is not reused while a
/// process has the file open, so equal identities mean the same file.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil when there is no file at `path`, or it cannot be examined.
    init?(path: String) {
        guard let status = stat.at(path) else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
