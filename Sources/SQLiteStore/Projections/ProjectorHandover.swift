internal import Foundation
public import LedgerStore

/// A request to project in a data directory: a lock on a byte of `projector.lock`, separate from
/// the projector's own lock, released when the process ends, however it ends. A service that
/// projects continuously releases the projector's lock between two rounds while a request is
/// pending, however busy it is.
public final class ProjectorHandover: Sendable {
    private let lock: FileLock

    /// Beyond the text in the file.
    private static let offset: off_t = 4_096
    /// How long to wait for another command's request.
    public static let patienceMilliseconds = 1_000
    /// Open file description locks (`fcntl(2)`); the C library's names for them are not imported.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    /// Nil when another request is pending for longer than `patienceMilliseconds`. Blocks.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be requested.
    public static func make(
        directory: String, patienceMilliseconds: Int = ProjectorHandover.patienceMilliseconds
    ) throws(StoreError) -> ProjectorHandover? {
        let lock = try FileLock.take(
            ProjectorLock.path(directory: directory), patienceMilliseconds: patienceMilliseconds
        ) { descriptor in
            var range = requestedRange
            return fcntl(descriptor, setLock, &range) == 0
        }
        return lock.map { ProjectorHandover($0) }
    }

    private init(_ lock: FileLock) { self.lock = lock }

    private static var requestedRange: flock { flock(writing: 1, from: offset) }

    /// Whether a request is pending.
    public static func isPending(directory: String) -> Bool {
        let descriptor = open(ProjectorLock.path(directory: directory), O_RDONLY | O_CLOEXEC)
        // The file does not exist: no process has projected here.
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var range = requestedRange
        return fcntl(descriptor, getLock, &range) == 0 && range.l_type != Int16(F_UNLCK)
    }
}
