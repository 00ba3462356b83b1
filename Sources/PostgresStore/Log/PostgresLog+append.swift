public import LedgerStore
internal import Synchronization

/// Appending by `GroupCommit`, drained on the appending thread.
extension PostgresLog {
    /// Whether the log can be written now, tested by a durable transaction that writes the head row
    /// unchanged. After a start and after a full disk it also allocates 1 MiB and frees it. Throws
    /// as `append` does.
    public func probeCommit() async throws(StoreError) {
        try await commits.probe(takesRoom: true) { startDraining() }
    }

    /// A later COMMIT waits for the earlier ones. It needs no room, also on a full disk.
    public func confirmVisible() async throws(StoreError) {
        try await commits.probe { startDraining() }
    }

    // MARK: Draining

    /// `close` stops the thread only when nothing is draining.
    public func startDraining() {
        _ = appender.add { [self] slot in drain(slot) }
    }

    /// Runs on the appending thread, which has no other work, until nothing is waiting.
    private func drain(_ slot: ConnectionSlot) {
        var lastBegan: ContinuousClock.Instant?
        while true {
            if let lastBegan { Blocking.pause(commits.pause(since: lastBegan)) }
            guard let group = commits.nextGroup() else { return }
            lastBegan = .now
            commits.answer(group, GroupAppend(log: self, group: group, slot: slot).answers())
        }
    }

    /// - Parameter tookRoom: whether a probe tested for room.
    func committed(_ outcome: AppendTransaction.Outcome, tookRoom: Bool) {
        if tookRoom || !outcome.rows.isEmpty { hasRoom.withLock { $0 = true } }
        knownHeaders.withLock { $0 = outcome.headers }
        seen.withLock { $0.note(outcome.rows) }
        if !outcome.rows.isEmpty { notices.send() }
    }
}
