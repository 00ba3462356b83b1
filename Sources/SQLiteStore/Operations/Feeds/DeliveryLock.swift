internal import Foundation
public import LedgerStore

/// The right to deliver webhooks of an environment: an advisory lock on `webhooks.lock`, given back
/// when the process ends, however it ends. Two that deliver would tell everything twice, and each
/// move the cursor behind the other's back.
public final class DeliveryLock: Sendable {
    private let descriptor: Int32

    private static let fileName = "webhooks.lock"

    /// Nil while somebody else holds it. Blocks for a moment.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be asked for.
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
