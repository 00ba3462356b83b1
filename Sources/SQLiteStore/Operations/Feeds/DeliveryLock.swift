internal import Foundation
public import LedgerStore

/// The exclusive right to deliver an environment's webhooks: an advisory lock on `webhooks.lock`,
/// released when the process ends, however it ends. Two delivering processes would send every
/// change twice, and overwrite each other's cursor.
public final class DeliveryLock: Sendable {
    private let descriptor: Int32

    private static let fileName = "webhooks.lock"

    /// Nil while another process holds it. Blocks for a moment.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be requested.
    public static func take(directory: String) throws(StoreError) -> DeliveryLock? {
        let path = "\(directory)/\(fileName)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, DatabaseFile.fileMode)
        guard descriptor >= 0 else { throw DatabaseFile.systemError(errno, path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return DeliveryLock(descriptor)
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
