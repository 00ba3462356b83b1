import Foundation

/// Holds the lock that serialises checkpoints of a file, as another process would: byte 121 of the
/// -shm (https://www.sqlite.org/walformat.html), through a separate descriptor.
///
/// Closing the descriptor drops the process's locks on the file, so keep the holder until they are
/// no longer needed.
final class CheckpointHolder {
    private let descriptor: Int32

    /// From <fcntl.h>, under _GNU_SOURCE.
    private static let setDescriptionLock: Int32 = 37
    private static let lockedByte = 121

    init(path: String) throws {
        descriptor = open(path + "-shm", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
        try set(F_WRLCK)
    }

    deinit { close(descriptor) }

    func release() throws { try set(F_UNLCK) }

    private func set(_ type: Int32) throws {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(CheckpointHolder.lockedByte)
        range.l_len = 1
        guard fcntl(descriptor, CheckpointHolder.setDescriptionLock, &range) == 0 else {
            throw CocoaError(.fileLocking)
        }
    }
}
