public import LedgerStore

/// The right to recover in a data directory: two recoveries at once would share their durable
/// places, and count each other's work as theirs. An advisory lock on `recovery.lock`, given back
/// when the process ends, however it ends.
public final class RecoveryLock: Sendable {
    private let lock: FileLock

    static let fileName = "recovery.lock"

    /// Nil while somebody else recovers. Blocks for a moment only.
    ///
    /// Throws `fileReadOnly`, `diskFull` or `ioError` when the lock cannot be asked for.
    public static func take(directory: String) throws(StoreError) -> RecoveryLock? {
        let lock = try FileLock.take(
            "\(directory)/\(fileName)", patienceMilliseconds: ProjectorLock.patienceMilliseconds)
        return lock.map { RecoveryLock($0) }
    }

    private init(_ lock: FileLock) { self.lock = lock }
}
