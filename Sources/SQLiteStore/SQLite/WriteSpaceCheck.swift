internal import Foundation
internal import LedgerStore

/// Tests for free space by allocating it. The file system's free count is not sufficient: quotas
/// and file size limits apply too.
enum WriteSpaceCheck {
    /// 1 MiB, more than a transaction of some dozens of events writes. A page or two would prove
    /// nothing, since they may reuse space that a failed append has allocated.
    static let byteCount: Int64 = 1_024 * 1_024
    /// Suffix of the file that allocates the space; it is unlinked once it is open.
    static let suffix = "-probe"

    /// Allocates `byteCount` bytes in a file next to `path`, from `offset` on, and frees them.
    /// Blocks.
    ///
    /// Throws `diskFull`. Other failures (a directory of that name, no permission to create files)
    /// prove nothing about writing to existing files, and are ignored.
    static func require(
        nextTo path: String, from offset: Int64, byteCount: Int64
    ) throws(StoreError) {
        guard byteCount > 0 else { return }
        let name = path + suffix
        let file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        unlink(name)
        var code: Int32
        repeat { code = posix_fallocate(file, off_t(offset), off_t(byteCount)) } while code == EINTR
        guard [ENOSPC, EDQUOT, EFBIG].contains(code) else { return }
        throw .full(path: path, "The operating system refuses space beside it (\(code)).")
    }
}
