internal import Foundation
internal import LedgerStore

/// An advisory lock on a file, released when the process ends, however it ends.
final class FileLock: Lease {
    let descriptor: Int32
    let isHeld = true

    /// A child process being spawned by another thread inherits all locks for a moment.
    static let patienceMilliseconds = 15
    private static let retryMilliseconds = 5

    /// Nil when the lock is held elsewhere, in this process or another, for longer than
    /// `patienceMilliseconds`. Creates the file when missing. Blocks.
    ///
    /// - Parameter lock: requests the lock without waiting; by default one of the whole file.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be requested; the latter
    /// also for a link or a special file, which is not written to.
    static func take(
        _ path: String, patienceMilliseconds: Int,
        lock: (Int32) -> Bool = { flock($0, LOCK_EX | LOCK_NB) == 0 }
    ) throws(StoreError) -> FileLock? {
        let descriptor = open(
            path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, DatabaseFile.fileMode)
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: path) }
        guard stat.of(descriptor)?.kind == S_IFREG else {
            close(descriptor)
            throw DatabaseFile.irregular(path)
        }
        var patience = patienceMilliseconds
        while !lock(descriptor) {
            guard patience > 0 else {
                close(descriptor)
                return nil
            }
            usleep(useconds_t(retryMilliseconds * 1_000))
            patience -= retryMilliseconds
        }
        return FileLock(descriptor)
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

extension flock {
    /// An exclusive lock of some bytes of a file (fcntl(2)).
    init(writing byteCount: off_t, from offset: off_t) {
        self.init()
        l_type = Int16(F_WRLCK)
        l_whence = Int16(SEEK_SET)
        l_start = offset
        l_len = byteCount
    }
}
