internal import Foundation

/// Room on the file system that a path lies on.
public enum DiskRoom {
    /// Bytes that others than root may still write; nil when that cannot be found out. Blocks.
    public static func freeByteCount(_ path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// What SQLite lets its shared memory grow by, 32 KiB, and its own file beside it. With less than
    /// this free nothing can be appended. 64 KiB.
    static let leastByteCount: UInt64 = 64 * 1_024

    /// Whether a failure to let shared memory grow is that of a full disk; of an unknown one it is not.
    static func isGone(freeByteCount: UInt64?) -> Bool {
        freeByteCount.map { $0 < leastByteCount } ?? false
    }
}
