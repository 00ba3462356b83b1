internal import Foundation

/// Room to write into, found out by taking it. What the file system counts as free is not all that
/// decides: a quota or a limit on the size of files ends it as well.
enum WriteRoom {
    /// More than a transaction of some dozens of events writes: 1 MiB. A page or two prove nothing,
    /// for they may find a place that an append which failed has taken already.
    static let byteCount: off_t = 1_024 * 1_024
    /// Marks the file that takes the room; it has no name any more once it is open.
    static let suffix = "-probe"

    /// Takes the room in a file beside `path`, as deep into it as the write-ahead log of `path` is
    /// long, and gives it back. Blocks.
    ///
    /// Throws `diskFull`, `fileReadOnly` or `ioError`.
    static func require(for path: String) throws(StoreError) {
        var status = stat()
        let depth = stat(path + "-wal", &status) == 0 ? status.st_size : 0
        try require(beside: path, depth: depth)
    }

    /// As `require(for:)`, from `depth` bytes on.
    static func require(beside path: String, depth: off_t) throws(StoreError) {
        let name = path + suffix
        let file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(errno, path) }
        defer { close(file) }
        // Another process that tries as well may have taken the name away.
        guard unlink(name) == 0 || errno == ENOENT else { throw failure(errno, path) }
        var code: Int32
        repeat { code = posix_fallocate(file, depth, byteCount) } while code == EINTR
        guard code == 0 else { throw failure(code, path) }
    }

    private static func failure(_ code: Int32, _ path: String) -> StoreError {
        let detail = "The operating system refuses room beside it (\(code))."
        switch code {
        case ENOSPC, EDQUOT, EFBIG: return .full(path: path, detail)
        case EROFS, EACCES, EPERM: return .readOnly(path: path, detail)
        default:
            return StoreError(
                .ioError, path: path, reason: detail,
                remedy: "Check the disk and the permissions of the directory.")
        }
    }
}
