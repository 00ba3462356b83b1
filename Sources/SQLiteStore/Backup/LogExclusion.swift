internal import Foundation
internal import LedgerStore

/// Nobody else has the log's file open: SQLite's own exclusive lock, taken from outside SQLite, so
/// that it can be had of a damaged file too.
///
/// Every connection of ours to a log holds SQLite's shared lock for as long as it is open, since
/// the file is in WAL mode. The lock is POSIX's: it belongs to the process, and ends with any
/// descriptor of the file that the process closes. So the caller opens the log no more meanwhile.
final class LogExclusion: Sendable {
    private let descriptor: Int32
    let path: String

    /// From SQLite's pending byte to the last of its shared ones
    /// (https://www.sqlite.org/fileformat2.html#lock_byte_page).
    private static let firstByte: off_t = 0x4000_0000
    private static let byteCount: off_t = 512
    /// <fcntl.h>, behind _GNU_SOURCE.
    private static let setLease: Int32 = 1_024

    /// How long a file that others have open is watched, milliseconds: a program being started by
    /// some thread of ours holds all our descriptors for a moment.
    static let patienceMilliseconds = 1_000
    private static let intervalMilliseconds = 20

    /// Nil while somebody else has the file open. Throws `fileReadOnly` or `ioError`. Blocks.
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
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = firstByte
        range.l_len = byteCount
        return fcntl(descriptor, F_SETLK, &range) == 0 ? exclusion : nil
    }

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Whether no other descriptor of the file is open anywhere: only then does the kernel grant a
    /// write lease (fcntl(2)). True also where the file system knows no leases: then the lock has
    /// to do.
    var isAlone: Bool {
        guard fcntl(descriptor, LogExclusion.setLease, Int32(F_WRLCK)) == 0 else {
            return errno != EAGAIN
        }
        // Given back at once: while it is held, whoever opens the file waits, and we are signalled.
        _ = fcntl(descriptor, LogExclusion.setLease, Int32(F_UNLCK))
        return true
    }

    /// Whether `path` still names the file that is locked.
    var isInPlace: Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(path, &named) == 0
            && own.st_dev == named.st_dev && own.st_ino == named.st_ino
    }

    /// Waits for those who opened the file before it was replaced and are waiting for the lock:
    /// they give up by themselves, and must not write into a file that is no longer the log.
    /// Blocks.
    func waitForStragglers() {
        let interval: useconds_t = 20_000
        let patience = 2 * DatabaseFile.usualBusyTimeoutSeconds
        for _ in 0..<(patience * 1_000_000 / Int(interval)) {
            if isAlone { return }
            usleep(interval)
        }
    }
}
