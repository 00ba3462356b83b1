import Foundation

/// Whether any process, including this one, holds a lock on a file, tested through a descriptor
/// with separate locks (fcntl(2), open file description locks).
///
/// Closing the descriptor drops the process's locks on the file, so keep the probe until they are
/// no longer needed.
final class LockProbe {
    private let descriptor: Int32

    /// From <fcntl.h>, under _GNU_SOURCE.
    private static let getDescriptionLock: Int32 = 36

    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
    }

    deinit { close(descriptor) }

    /// Over the whole file.
    var isLocked: Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        guard fcntl(descriptor, LockProbe.getDescriptionLock, &range) == 0 else { return false }
        return range.l_type != Int16(F_UNLCK)
    }
}
