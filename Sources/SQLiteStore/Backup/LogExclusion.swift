internal import Foundation
internal import LedgerStore

/// Exclusive access to the log's file: SQLite's exclusive lock, taken without SQLite so that it
/// also works on a damaged file.
///
/// Every connection of this program to a log holds SQLite's shared lock while it is open, since the
/// file is in WAL mode. The lock is a POSIX one: it belongs to the process, and is released when
/// the process closes any descriptor of the file. The caller must not open the log meanwhile.
final class LogExclusion: Sendable {
    private let descriptor: Int32
    let path: String

    /// From SQLite's pending byte to the last of its shared bytes
    /// (https://www.sqlite.org/fileformat2.html#lock_byte_page).
    private static let firstByte: off_t = 0x4000_0000
    private static let byteCount: off_t = 512
    /// From <fcntl.h>, under _GNU_SOURCE.
    private static let setLease: Int32 = 1_024

    /// How long a file that is open elsewhere is retried, milliseconds: a child process being
    /// spawned by another thread inherits all descriptors for a moment.
    static let patienceMilliseconds = 1_000
    private static let intervalMilliseconds = 20

    /// Nil while another process has the file open. Throws `fileReadOnly` or `ioError`. Blocks.
    static func take(_ path: String) throws(StoreError) -> LogExclusion? {
        for _ in 0..<(patienceMilliseconds / intervalMilliseconds) {
            if let exclusion = try takeAtOnce(path) { return exclusion }
            usleep(useconds_t(intervalMilliseconds * 1_000))
        }
        return try takeAtOnce(path)
    }

    private static func takeAtOnce(_ path: String) throws(StoreError) -> LogExclusion? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: path) }
        let exclusion = LogExclusion(descriptor, path)
        guard exclusion.isAlone else { return nil }
        var range = flock(writing: byteCount, from: firstByte)
        return fcntl(descriptor, F_SETLK, &range) == 0 ? exclusion : nil
    }

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Whether no other descriptor of the file is open anywhere: only then does the kernel grant a
    /// write lease (fcntl(2)). Also true where the file system does not support leases; then only
    /// the lock protects.
    var isAlone: Bool {
        guard fcntl(descriptor, LogExclusion.setLease, Int32(F_WRLCK)) == 0 else {
            return errno != EAGAIN
        }
        // Released immediately: a held lease blocks other processes' open and signals this one.
        _ = fcntl(descriptor, LogExclusion.setLease, Int32(F_UNLCK))
        return true
    }

    /// Whether `path` still names the file that is locked.
    var isInPlace: Bool {
        guard let own = stat.of(descriptor) else { return false }
        return FileIdentity(own) == FileIdentity(path: path)
    }

    /// Waits for processes that opened the file before it was replaced and are waiting for the
    /// lock: they time out, and must not write into a file that is no longer the log. Blocks.
    func waitForStragglers() {
        let interval: useconds_t = 20_000
        let patience = 2 * DatabaseFile.usualBusyTimeoutSeconds
        for _ in 0..<(patience * 1_000_000 / Int(interval)) {
            if isAlone { return }
            usleep(interval)
        }
    }
}
