internal import Foundation

/// Free space on the file system of a path.
public enum FreeDiskSpace {
    /// Bytes available to unprivileged users; nil when unknown. Blocks.
    public static func freeByteCount(_ path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// The free space below which nothing can be appended, 64 KiB: SQLite grows its shared memory
    /// by 32 KiB, in addition to its own file.
    static let leastByteCount: UInt64 = 64 * 1_024

    /// Whether a failure to grow shared memory means that the disk is full; false when the free
    /// space is unknown.
    static func isGone(freeByteCount: UInt64?) -> Bool {
        freeByteCount.map { $0 < leastByteCount } ?? false
    }
}
