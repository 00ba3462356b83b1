internal import Foundation
internal import LedgerStore

/// An advisory lock on a file, released when the process ends, however it ends.
final class FileLock: Sendable {
    let descriptor: Int32

    private static let retryMilliseconds = 5

    /// Nil when the lock is held elsewhere, in this process or another, for longer than
    /// `patienceMilliseconds`. Creates the file when missing. Blocks.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be requested.
    static func take(_ path: String, patienceMilliseconds: Int) throws(StoreError) -> FileLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, DatabaseFile.fileMode)
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: path) }
        var patience = patienceMilliseconds
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
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
