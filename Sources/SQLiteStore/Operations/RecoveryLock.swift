public import LedgerStore

/// The exclusive right to recover in a data directory: two concurrent recoveries would share their
/// cursors and count each other's work. An advisory lock on `recovery.lock`, released when the
/// process ends, however it ends.
public final class RecoveryLock: Sendable {
    private let lock: FileLock

    static let fileName = "recovery.lock"

    /// Nil while another process recovers. Blocks only for a moment.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be requested.
    public static func take(directory: String) throws(StoreError) -> RecoveryLock? {
        let lock = try FileLock.take(
            "\(directory)/\(fileName)", patienceMilliseconds: ProjectorLock.patienceMilliseconds)
        return lock.map { RecoveryLock($0) }
    }

    private init(_ lock: FileLock) { self.lock = lock }
}
