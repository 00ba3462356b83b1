internal import Foundation
public import LedgerStore

/// Somebody wants to project in a data directory: a lock on a byte of `projector.lock` that is apart
/// from the projector's own lock, given back when the process ends, however it ends. A service that
/// keeps projecting gives the projector's lock back between two rounds while a wish stands, however
/// busy it is.
public final class ProjectorWish: Sendable {
    private let descriptor: Int32

    /// Behind whatever the file says.
    private static let offset: off_t = 4_096
    private static let retryMilliseconds = 5
    /// Another command's wish is granted before ours.
    public static let patienceMilliseconds = 1_000
    /// Locks of an open file (`fcntl(2)`, open file description locks); the C library's names for
    /// them are not imported.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    /// Nil while another one's wish stands, and still does after `patienceMilliseconds`. Blocks.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be asked for.
    public static func make(
        directory: String, patienceMilliseconds: Int = ProjectorWish.patienceMilliseconds
    ) throws(StoreError) -> ProjectorWish? {
        let path = ProjectorLock.path(directory: directory)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, DatabaseFile.fileMode)
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: path) }
        var patience = patienceMilliseconds
        var range = wished
        while fcntl(descriptor, setLock, &range) != 0 {
            guard patience > 0 else {
                close(descriptor)
                return nil
            }
            usleep(useconds_t(retryMilliseconds * 1_000))
            patience -= retryMilliseconds
            range = wished
        }
        return ProjectorWish(descriptor)
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    private static var wished: flock {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = offset
        range.l_len = 1
        return range
    }

    /// Whether anybody's wish stands.
    public static func isStanding(directory: String) -> Bool {
        let descriptor = open(ProjectorLock.path(directory: directory), O_RDONLY | O_CLOEXEC)
        // Nobody ever projected here.
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var range = wished
        return fcntl(descriptor, getLock, &range) == 0 && range.l_type != Int16(F_UNLCK)
    }
}
