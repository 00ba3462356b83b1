internal import Foundation

/// A fingerprint of a file that is not being written: a different fingerprint means different
/// contents.
struct FileTrace: Hashable {
    private let inode: UInt64
    private let byteCount: Int64
    private let changedNanoseconds: Int64

    /// Nil when there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        inode = UInt64(status.st_ino)
        byteCount = Int64(status.st_size)
        changedNanoseconds =
            Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}
