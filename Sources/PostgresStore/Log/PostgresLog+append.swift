public import LedgerStore
internal import Synchronization

/// Appending by `GroupCommit`, drained on the appending thread.
extension PostgresLog {
    /// Appends verified events in order, all or none; returns when they are durable.
    ///
    /// A batch is never split over transactions. Throws `batchTooLarge`, `queueFull`, `closed`,
    /// `commitOutcomeUnknown`, `logWentBack` (from then on until the head is accepted), or what the
    /// database reported: `databaseUnavailable`, `databaseRefused`, `diskFull`, `fileReadOnly`,
    /// `fileCorrupt`, `ioError`. After any of these, appending the same events again is safe.
    public func append(_ events: [NewEvent]) async throws(StoreError) -> [AppendResult] {
        try await commits.append(events) { startDraining() }
    }

    public func append(
        _ events: [NewEvent], unlessErasedAfter position: Int64
    ) async throws(StoreError) -> [AppendResult] {
        try await commits.append(events, unlessErasedAfter: position) { startDraining() }
    }

    public func erase(
        _ erasure: NewEvent, within scope: ErasureScope
    ) async throws(StoreError) -> AppendResult {
        try await commits.erase(erasure, within: scope) { startDraining() }
    }

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
    private func startDraining() {
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
