internal import Dispatch
internal import Foundation
internal import Synchronization

/// Threads that each own at most one connection and take work from a common queue: no call blocks
/// the cooperative pool.
final class ConnectionThreads: Sendable {
    typealias Work = @Sendable (ConnectionSlot) -> Void

    private let queue: WorkQueue

    /// - Parameters:
    ///   - name: of the threads, for people with a debugger.
    ///   - open: opens and sets up a connection.
    init(
        _ name: String, count: Int,
        open: @escaping @Sendable () throws -> PostgresConnection
    ) {
        let queue = WorkQueue(threadCount: count)
        self.queue = queue
        for number in 1...count {
            let thread = Thread {
                queue.serve(ConnectionSlot { try queue.noting(open) })
            }
            thread.name = "\(name)-\(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    deinit { queue.stop() }

    /// False after `stop`: the work is dropped.
    func add(_ work: @escaping Work) -> Bool { queue.add(work) }

    /// Notes that the database answered work of the queue.
    func noteAnswer() { queue.noteAnswer() }

    /// Throws `timedOut` where the database has answered nothing for `limit` since `added`; without
    /// a connection, the error of an attempt that failed since `added`, as each takes seconds.
    func requireTimely(
        _ slot: ConnectionSlot, added: ContinuousClock.Instant, within limit: Duration
    ) throws(PostgresError) {
        if slot.current?.isUsable != true, let failure = queue.failure, failure.end > added {
            throw failure.error
        }
        guard max(added, queue.lastAnswer ?? added).duration(to: .now) < limit else {
            throw PostgresError(.timedOut, "No connection became free in time.")
        }
    }

    /// Ends the threads, and with them the connections, after the work in the queue.
    func stop() { queue.stop() }

    /// As `stop`; returns when every connection is closed.
    func stopped() async { await queue.stopped() }
}

/// The queue of `ConnectionThreads`; its threads keep it, and end with it.
private final class WorkQueue: Sendable {
    private struct State {
        var waiting: [ConnectionThreads.Work] = []
        var isStopped = false
        var threadCount: Int
        /// Callers of `stopped`.
        var whenEnded: [CheckedContinuation<Void, Never>] = []
        var failure: (end: ContinuousClock.Instant, error: PostgresError)?
        var lastAnswer: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    private let threadCount: Int
    /// Counts the work in the queue, and the threads to be ended.
    private let available = DispatchSemaphore(value: 0)

    init(threadCount: Int) {
        self.threadCount = threadCount
        state = Mutex(State(threadCount: threadCount))
    }

    /// When the last attempt to connect that failed had ended, and why it failed.
    var failure: (end: ContinuousClock.Instant, error: PostgresError)? {
        state.withLock { $0.failure }
    }

    /// When the database last answered work of the queue.
    var lastAnswer: ContinuousClock.Instant? { state.withLock { $0.lastAnswer } }

    func noteAnswer() { state.withLock { $0.lastAnswer = .now } }

    /// Opens a connection, and notes a failure.
    func noting(_ open: () throws -> PostgresConnection) throws -> PostgresConnection {
        do { return try open() } catch let error as PostgresError {
            state.withLock { $0.failure = (ContinuousClock.now, error) }
            throw error
        }
    }

    func add(_ work: @escaping ConnectionThreads.Work) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isStopped else { return false }
            state.waiting.append(work)
            return true
        }
        if isAdded { available.signal() }
        return isAdded
    }

    /// Works on the calling thread until the queue is stopped, then closes the connection.
    func serve(_ slot: ConnectionSlot) {
        while let work = next() { work(slot) }
        slot.drop()
        let ended = state.withLock { state in
            state.threadCount -= 1
            guard state.threadCount == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.whenEnded = [] }
            return state.whenEnded
        }
        for continuation in ended { continuation.resume() }
    }

    /// Blocks until there is work; nil at the end.
    private func next() -> ConnectionThreads.Work? {
        available.wait()
        return state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        guard isFirst else { return }
        for _ in 0..<threadCount { available.signal() }
    }

    func stopped() async {
        stop()
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                guard state.threadCount > 0 else { return true }
                state.whenEnded.append(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }
}

/// The connection of a thread, opened on demand. Confined to that thread.
final class ConnectionSlot {
    private let openConnection: @Sendable () throws -> PostgresConnection
    private(set) var current: PostgresConnection?

    init(open: @escaping @Sendable () throws -> PostgresConnection) {
        openConnection = open
    }

    /// The open connection, or a new one.
    func connection() throws -> PostgresConnection {
        if let current, current.isUsable { return current }
        current = nil
        let opened = try openConnection()
        current = opened
        return opened
    }

    func drop() { current = nil }
}
