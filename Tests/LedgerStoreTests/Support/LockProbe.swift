import Foundation

/// Whether anybody, this process included, holds a lock on a file: asked with a descriptor whose
/// locks would be its own (fcntl(2), open file description locks).
///
/// Closing the descriptor drops the process's locks on the file, so keep the probe until they are
/// no longer needed.
final class LockProbe {
    private let descriptor: Int32

    /// <fcntl.h>, behind _GNU_SOURCE.
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
