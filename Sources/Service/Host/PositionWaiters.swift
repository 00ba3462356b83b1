internal import Projection
import Synchronization

/// The end of the log and the position of the projections, as known in this process. Callers wait
/// here for a position.
final class PositionWaiters: Sendable {
    private let state = Mutex(State())

    private struct State {
        var snapshot: LedgerSnapshot?
        var head: Int64 = 0
        var refusedPath: String?
        var isClosed = false
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        /// When the log reached which position, oldest first, for unprojected positions.
        var marks: [Mark] = []
    }

    private struct Waiter {
        let position: Int64
        /// Finished at the position.
        let continuation: AsyncStream<Void>.Continuation
    }

    private struct Mark {
        let position: Int64
        let at: ContinuousClock.Instant
    }

    /// Marks closer together than this are merged: the precision of the lag.
    static let markSpacing: Duration = .milliseconds(10)
    /// Maximum marks; beyond it the newest mark is moved.
    static let maximumMarkCount = 4_096

    var snapshot: LedgerSnapshot? { state.withLock { $0.snapshot } }
    var head: Int64 { state.withLock { $0.head } }
    /// The projections of other rules to which this process gives way; nil while it does not.
    var refusedPath: String? { state.withLock { $0.refusedPath } }
    /// The callers that wait for a position.
    var awaitedCount: Int { state.withLock { $0.waiters.count } }
    var isAwaited: Bool { awaitedCount > 0 }

    /// The number of unprojected positions, and the age of the oldest.
    func lag() -> (positions: Int64, time: Duration) {
        state.withLock { state in
            let reached = state.snapshot?.position ?? 0
            return (
                max(0, state.head - reached),
                state.marks.first.map { $0.at.duration(to: .now) } ?? .zero
            )
        }
    }

    /// Notes that the log has reached `position`.
    ///
    /// - Parameter now: earlier in tests.
    func reached(head position: Int64, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            guard position > state.head else { return }
            state.head = position
            let isRoom = state.marks.count < PositionWaiters.maximumMarkCount
            if let last = state.marks.last,
                !isRoom || last.at.duration(to: now) < PositionWaiters.markSpacing
            {
                state.marks[state.marks.count - 1] = Mark(position: position, at: last.at)
            } else {
                state.marks.append(Mark(position: position, at: now))
            }
        }
    }

    /// Answers come from `snapshot` from now on; wakes the callers waiting for its position.
    func publish(_ snapshot: LedgerSnapshot) {
        let woken = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            state.snapshot = snapshot
            state.refusedPath = nil
            state.head = max(state.head, snapshot.position)
            if let done = state.marks.lastIndex(where: { $0.position <= snapshot.position }) {
                state.marks.removeSubrange(...done)
            }
            let ready = state.waiters.filter { $0.value.position <= snapshot.position }
            for id in ready.keys { state.waiters[id] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in woken { continuation.finish() }
    }

    /// Gives way to the projections of other rules at `path`: no state answers until the next one
    /// is published. Wakes all waiters, and later calls do not wait.
    func withdraw(for path: String) {
        wakeAll { state in
            state.snapshot = nil
            state.refusedPath = path
        }
    }

    /// Wakes all waiters; later calls do not wait.
    func close() { wakeAll { $0.isClosed = true } }

    private func wakeAll(_ change: (inout State) -> Void) {
        let woken = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters.values.map(\.continuation)
        }
        for continuation in woken { continuation.finish() }
    }

    // MARK: Waiting

    /// The snapshot once it includes `position`, or the current one after `limit`.
    func snapshot(atLeast position: Int64, limit: Duration) async -> LedgerSnapshot? {
        if let snapshot, snapshot.position >= position { return snapshot }
        let (reached, continuation) = AsyncStream.makeStream(of: Void.self)
        let id = state.withLock { state -> UInt64? in
            let isReached = state.snapshot.map { $0.position >= position } ?? false
            guard !isReached, !state.isClosed, state.refusedPath == nil else { return nil }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = Waiter(
                position: position, continuation: continuation)
            return state.nextWaiter
        }
        if let id {
            _ = await first(by: .now + limit) { for await _ in reached {} }
            state.withLock { $0.waiters[id] = nil }
        }
        return snapshot
    }
}
