internal import Foundation

/// Which file stands at a path: device and inode (stat(2)). An inode is not given to another file
/// while anybody has it open, so equal identities are the same file.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil when nothing stands at `path`, or nothing that can be looked at.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
