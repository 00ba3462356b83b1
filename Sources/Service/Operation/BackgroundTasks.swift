import AppStore

/// Work that a request starts and does not wait for; it runs concurrently with the projector, and
/// is cancelled when the service stops.
final class BackgroundTasks: Sendable {
    typealias Work = @Sendable () async -> Void

    private let waiting: AsyncStream<Work>
    private let continuation: AsyncStream<Work>.Continuation

    init() { (waiting, continuation) = AsyncStream.makeStream(of: Work.self) }

    /// Starts work in the caller's trace, once `run` runs. The caller bounds how much there is.
    func start(_ work: @escaping Work) {
        let trace = TraceContext.current
        continuation.yield { await TraceContext.$current.withValue(trace) { await work() } }
    }

    /// Returns after `stop`, once everything that was started has ended.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await work in waiting { group.addTask(priority: .utility) { await work() } }
            group.cancelAll()
        }
    }

    /// Cancels everything, and starts nothing more.
    func stop() { continuation.finish() }
}
