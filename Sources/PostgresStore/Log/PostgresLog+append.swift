internal import Foundation
public import LedgerStore
internal import Synchronization

/// Group commit: callers queue their batches, and one transaction takes all that are waiting after
/// the previous COMMIT was answered; under load slightly later (`GroupCommitDelay`).
extension PostgresLog {
    /// Appends verified events in order, all or none; returns when they are durable.
    ///
    /// A batch is never split over transactions. Throws `batchTooLarge`, `queueFull`, `closed`,
    /// `commitOutcomeUnknown`, `logWentBack` (from then on until the head is accepted), or what the
    /// database reported: `databaseUnavailable`, `databaseRefused`, `diskFull`, `fileReadOnly`,
    /// `fileCorrupt`, `ioError`. After any of these, appending the same events again is safe.
    public func append(_ events: [NewEvent]) async throws(StoreError) -> [AppendResult] {
        let byteCount = try AppendBatch.measure(events)
        guard !events.isEmpty else { return [] }
        let answer = await withCheckedContinuation { continuation in
            enqueue(
                AppendBatch(events: events, byteCount: byteCount, continuation: continuation))
        }
        return try answer.get()
    }

    public func erase(
        _ erasure: NewEvent, within scope: ErasureScope
    ) async throws(StoreError) -> AppendResult {
        let byteCount = try AppendBatch.measure([erasure])
        let answer = await withCheckedContinuation { continuation in
            enqueue(
                AppendBatch(
                    events: [erasure], byteCount: byteCount, erasure: scope,
                    continuation: continuation))
        }
        guard let result = try answer.get().first else { throw ErasureScope.overtaken }
        return result
    }

    /// Whether the log can be written now, tested by a durable transaction that writes the head row
    /// unchanged. Throws as `append` does.
    public func probeCommit() async throws(StoreError) {
        let answer = await withCheckedContinuation { continuation in
            enqueue(
                AppendBatch(events: [], byteCount: 0, isProbe: true, continuation: continuation))
        }
        _ = try answer.get()
    }

    private func enqueue(_ batch: AppendBatch) {
        let (refusal, mustDrain) = state.withLock { state -> (StoreError?, Bool) in
            guard !state.isClosed else { return (closedError, false) }
            guard state.queue.add(batch) else { return (queueFull, false) }
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if let refusal { batch.continuation.resume(returning: .failure(refusal)) }
        // `close` stops the thread only when nothing is draining.
        if mustDrain { _ = appender.add { [self] slot in drain(slot) } }
    }

    private var queueFull: StoreError {
        StoreError(
            .queueFull, path: location, reason: "Too many events are waiting to be written.",
            remedy: "Try again later; nothing was accepted.")
    }

    // MARK: Draining

    /// Runs on the appending thread until nothing is waiting.
    private func drain(_ slot: ConnectionSlot) {
        var lastBegan: ContinuousClock.Instant?
        while true {
            if let lastBegan { gather(since: lastBegan) }
            guard let group = nextGroup() else { return }
            lastBegan = .now
            answer(group, GroupAppend(log: self, group: group, slot: slot).answers())
        }
    }

    /// Blocks the appending thread, which has no other work. Few callers, however large their
    /// batches, would wait for each other.
    private func gather(since lastBegan: ContinuousClock.Instant) {
        let (batchCount, eventCount) = state.withLock { state in
            (state.queue.waitingBatchCount, state.queue.waitingEventCount)
        }
        guard batchCount >= GroupCommitDelay.leastEventCount else { return }
        Thread.pause(
            GroupCommitDelay.pause(waiting: eventCount, sinceLast: lastBegan.duration(to: .now)))
    }

    /// The next group; nil, and draining ends, when the queue is empty.
    private func nextGroup() -> [AppendBatch]? {
        let (group, idle) = state.withLock { state in
            let group = state.queue.takeGroup()
            state.groupBegan = group.isEmpty ? nil : .now
            guard group.isEmpty else { return (group, [CheckedContinuation<Void, Never>]()) }
            state.isDraining = false
            defer { state.whenIdle = [] }
            return (group, state.whenIdle)
        }
        for continuation in idle { continuation.resume() }
        return group.isEmpty ? nil : group
    }

    private func answer(_ group: [AppendBatch], _ answers: [AppendBatch.Answer]) {
        state.withLock { state in
            state.queue.release(group)
            state.groupBegan = nil
        }
        for (batch, answer) in zip(group, answers) { batch.continuation.resume(returning: answer) }
    }

    func committed(_ outcome: AppendTransaction.Outcome) {
        knownHeaders.withLock { $0 = outcome.trace.headers }
        seen.withLock { $0.note(outcome.trace.rows) }
        if !outcome.trace.rows.isEmpty { notices.send() }
    }
}

extension Thread {
    /// Blocks the current thread, which must be one of the store's own.
    static func pause(_ duration: Duration) {
        guard duration > .zero else { return }
        usleep(useconds_t(duration / .microseconds(1)))
    }
}
