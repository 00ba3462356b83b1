/// A log to which other nodes append, too.
public protocol SharedLog: LedgerLog {
    /// The newest event that this node has seen; after a start, that of its `NodeMemory`.
    var lastSeen: ProjectionCursor { get }

    /// Calls `wake` when another node may have appended, until the log is closed. Only a hint:
    /// callers poll as well. Called once.
    func onAppend(_ wake: @escaping @Sendable () -> Void)

    /// Returns when every event that is visible now is durable: a row of another node may be
    /// visible before it is. Throws as `append` does.
    func confirmVisible() async throws(StoreError)

    /// Settings that weaken it, for `doctor`.
    func weaknesses() async throws(StoreError) -> [LogWeakness]
}
