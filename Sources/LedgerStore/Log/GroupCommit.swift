internal import Synchronization

/// Group commit: callers queue their batches, and the first one starts the drainer. One transaction
/// takes the batches waiting after the previous COMMIT was answered; under load slightly later
/// (`GroupCommitDelay`). Callers are answered after COMMIT.
public final class GroupCommit: Sendable {
    private struct State {
        var queue = AppendQueue()
        /// Whether the queue is being drained, by one thread at most.
        var isDraining = false
        /// When the group being written was taken; nil when none is.
        var groupBegan: ContinuousClock.Instant?
        var isClosed = false
        /// Callers of `close` waiting for the queue to drain.
        var whenIdle: [CheckedContinuation<Void, Never>] = []
    }

    /// The lock is never held while writing.
    private let state = Mutex(State())
    private let location: String

    /// - Parameter location: names the log in messages.
    package init(_ location: String) { self.location = location }

    // MARK: Callers

    /// Queues events as one batch, which is never split over transactions; returns when they are
    /// durable. `startDraining` starts the drainer on its own thread.
    ///
    /// - Parameter position: the events are refused if the log has an erasure after it; nil: never.
    ///
    /// Throws `batchTooLarge`, `queueFull`, `closed`, or the drainer's error; with a position also
    /// `erasureOvertaken`, which a drainer may state by an empty answer.
    package func append(
        _ events: [NewEvent], notErasedAfter position: Int64? = nil,
        startDraining: @Sendable () -> Void
    ) async throws(StoreError) -> [AppendResult] {
        let byteCount = try AppendBatch.measure(events)
        guard !events.isEmpty else { return [] }
        let batch = AppendBatch(events: events, byteCount: byteCount, erasuresThrough: position)
        let results = try await answer(batch, startDraining)
        guard position == nil || !results.isEmpty else { throw ErasureScope.overtaken }
        return results
    }

    /// As `append`, for an erasure. Throws also `erasureOvertaken`, where the answer is empty.
    package func erase(
        _ erasure: NewEvent, within scope: ErasureScope, startDraining: @Sendable () -> Void
    ) async throws(StoreError) -> AppendResult {
        let byteCount = try AppendBatch.measure([erasure])
        let batch = AppendBatch(events: [erasure], byteCount: byteCount, erasure: scope)
        let results = try await answer(batch, startDraining)
        guard let result = results.first else { throw ErasureScope.overtaken }
        return result
    }

    /// As `append`, for a transaction that writes and adds nothing.
    ///
    /// - Parameter takesRoom: whether it tests the room for later events, where that is in doubt.
    package func probe(
        takesRoom: Bool = false, startDraining: @Sendable () -> Void
    ) async throws(StoreError) {
        let batch = AppendBatch(events: [], byteCount: 0, isProbe: true, takesRoom: takesRoom)
        _ = try await answer(batch, startDraining)
    }

    private func answer(
        _ batch: AppendBatch, _ startDraining: @Sendable () -> Void
    ) async throws(StoreError) -> [AppendResult] {
        let answer: AppendBatch.Answer = await withCheckedContinuation { continuation in
            var batch = batch
            batch.continuation = continuation
            enqueue(batch, startDraining)
        }
        return try answer.get()
    }

    private func enqueue(_ batch: AppendBatch, _ startDraining: @Sendable () -> Void) {
        let (refusal, mustDrain) = state.withLock { state -> (StoreError?, Bool) in
            guard !state.isClosed else { return (StoreError.closed(location), false) }
            guard state.queue.add(batch) else { return (queueFull, false) }
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if let refusal { batch.continuation?.resume(returning: .failure(refusal)) }
        if mustDrain { startDraining() }
    }

    private var queueFull: StoreError {
        StoreError(
            .queueFull, path: location, reason: "Too many events are waiting to be written.",
            remedy: "Try again later; nothing was accepted.")
    }

    // MARK: The drainer

    /// The next group; nil, and draining ends, when the queue is empty.
    package func nextGroup() -> [AppendBatch]? {
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

    package func answer(_ group: [AppendBatch], _ answers: [AppendBatch.Answer]) {
        state.withLock { state in
            state.queue.release(group)
            state.groupBegan = nil
        }
        for (batch, answer) in zip(group, answers) { batch.continuation?.resume(returning: answer) }
    }

    /// How long the drainer waits for more events before it takes the next group.
    package func pause(since lastBegan: ContinuousClock.Instant) -> Duration {
        let (batchCount, eventCount) = state.withLock { state in
            (state.queue.waitingBatchCount, state.queue.waitingEventCount)
        }
        // Few callers, however large their batches, would wait for each other.
        guard batchCount >= GroupCommitDelay.leastEventCount else { return .zero }
        return GroupCommitDelay.pause(
            waiting: eventCount, sinceLast: lastBegan.duration(to: .now))
    }

    // MARK: Upkeep

    /// `LedgerLog.waiting`.
    package var waiting: (eventCount: Int, byteCount: Int) {
        state.withLock { ($0.queue.eventCount, $0.queue.byteCount) }
    }

    /// `LedgerLog.writingSince`.
    package var writingSince: ContinuousClock.Instant? { state.withLock { $0.groupBegan } }

    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Throws `closed` after `close`.
    package func requireOpen() throws(StoreError) {
        guard !isClosed else { throw .closed(location) }
    }

    /// Refuses later batches; returns when the waiting ones are answered.
    package func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                guard state.isDraining else { return true }
                state.whenIdle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }
}

extension StoreError {
    package static func closed(_ location: String, _ store: String = "log") -> StoreError {
        StoreError(
            .closed, path: location, reason: "The \(store) was closed.", remedy: "Open it again.")
    }
}
