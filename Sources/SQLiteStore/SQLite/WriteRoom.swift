internal import Foundation
internal import LedgerStore

/// Room to write into, found out by taking it. What the file system counts as free is not all that
/// decides: a quota or a limit on the size of files ends it as well.
enum WriteRoom {
    /// More than a transaction of some dozens of events writes: 1 MiB. A page or two prove nothing,
    /// for they may find a place that an append which failed has taken already.
    static let byteCount: Int64 = 1_024 * 1_024
    /// Marks the file that takes the room; it has no name any more once it is open.
    static let suffix = "-probe"

    /// Takes `byteCount` bytes in a file beside `path`, from `offset` on, and gives them back. Blocks.
    ///
    /// Throws `diskFull`. Anything else that keeps it from trying (a directory of that name, no right
    /// to create files) says nothing about writing to files that are there, and is passed over.
    static func require(
        beside path: String, from offset: Int64, byteCount: Int64
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
        throw .full(path: path, "The operating system refuses room beside it (\(code)).")
    }
}
